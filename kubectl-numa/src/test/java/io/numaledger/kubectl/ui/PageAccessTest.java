package io.numaledger.kubectl.ui;

import io.numaledger.browser.HeadlessBrowser;
import io.numaledger.browser.ShownPage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.openqa.selenium.WindowType;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Who can read the page, in a browser whose profile all servers of the machine share. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageAccessTest {

    private static final String REFUSED =
            "the URL that is printed opens once, in one browser; start kubectl numa ui again";

    private final GeneratedZones zones = new GeneratedZones(20, 1);
    private HeadlessBrowser browser;
    private ShownPage page;
    private UiServer server;

    @BeforeAll
    void startBrowser() {
        browser = HeadlessBrowser.start();
        page = new ShownPage(browser);
    }

    @AfterAll
    void stopBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void serve() throws IOException {
        serve(0);
    }

    private void serve(int port) throws IOException {
        Changes changes = new Changes();
        server = new UiServer(
                port, UiData.of(new ShownCluster(() -> zones, changes, () -> {}, InstantSource.system())), changes);
    }

    @AfterEach
    void close() {
        browser.driver().get("about:blank");
        server.close();
    }

    private String address() {
        return "http://127.0.0.1:%d/".formatted(server.url().getPort());
    }

    /** About this server. */
    private List<String> complaints() {
        return browser.complaints().stream()
                .filter(each -> each.startsWith(address()))
                .toList();
    }

    private void isShown() {
        page.awaitSummary(text -> text.startsWith("20 of 20 nodes"));
    }

    @Test
    void opensByThePrintedAddressAndAgainInTheSameBrowser() {
        page.go(server.url().toString());
        isShown();
        assertThat(browser.driver().getCurrentUrl()).as("the token is gone").isEqualTo(address());

        browser.driver().navigate().refresh();
        isShown();
        page.await("the news", () -> page.text("#state").equals("live"));

        String first = browser.driver().getWindowHandle();
        browser.driver().switchTo().newWindow(WindowType.TAB);
        browser.driver().get(address());
        isShown();
        browser.driver().get(server.url().toString());
        isShown();
        browser.driver().close();
        browser.driver().switchTo().window(first);
        assertThat(complaints()).allMatch(each -> each.contains("/session - Failed to load resource"));
    }

    @Test
    void showsNothingWithoutTheToken() {
        browser.driver().get(address());

        page.await("the refusal", () -> page.text("#state").equals(REFUSED));
        assertThat(page.text("main")).contains(REFUSED);
        assertThat(complaints()).isNotEmpty().allMatch(each -> each.contains("403 ()"));
    }

    @Test
    void givesNothingToOtherServersOfTheMachine() throws IOException {
        page.go(server.url().toString());
        try (HeaderRecorder other = new HeaderRecorder()) {
            browser.value("document.cookie = 'mine=1'; location.href = arguments[0];", other.url());
            page.await(
                    "the page of the other server",
                    () -> browser.driver().getTitle().equals("other"));

            assertThat(other.received())
                    .contains("GET /", "cookie: mine=1")
                    .noneMatch(header -> header.matches("(cookie: (?!mine=1$)|authorization:|referer:).*"));
            for (String mode : new String[] {"cors", "no-cors"}) {
                assertThat(browser.value(
                                "return fetch(arguments[0], { mode: arguments[1], credentials: 'include' }).then((answer) => answer.text(), () => 'refused');",
                                address() + "data/nodes",
                                mode))
                        .isEqualTo("refused");
            }
            assertThat(browser.value("return localStorage.length + sessionStorage.length;"))
                    .isEqualTo(0L);
        }
    }
}
