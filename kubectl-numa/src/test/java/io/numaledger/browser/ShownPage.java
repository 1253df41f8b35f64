package io.numaledger.browser;

import io.numaledger.apiservers.wait.Wait;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/** The page in a browser: what it shows, and what a user does with it. */
public class ShownPage {

    private final HeadlessBrowser browser;

    public ShownPage(HeadlessBrowser browser) {
        this.browser = browser;
    }

    /** Opens an address that shows the fleet. */
    public void go(String url) {
        browser.driver().get(url);
        awaitSummary(text -> !text.isEmpty());
    }

    /** @param view such as {@code node/NAME} */
    public void show(String view, String until) {
        browser.value("location.hash = '#/' + arguments[0];", view);
        await("the view with " + until, () -> text("main").contains(until));
    }

    public void awaitSummary(Predicate<String> wanted) {
        await("the summary of the fleet", () -> wanted.test(summary()));
    }

    /** Some events of a browser, such as the opening of a table, come after what caused them has returned. */
    public void await(String what, Wait.Condition condition) {
        Wait.until(what)
                .pollInterval(Duration.ofMillis(20))
                .seeing(() -> text("main h2, #summary, #state, [role=alert]"))
                .holds(condition);
    }

    /** Waits until the page has adapted to the width of its window, and nothing is wider than it. */
    public void awaitWidth(int pixels) {
        await(
                "nothing is wider than " + pixels,
                () -> Boolean.TRUE.equals(browser.value(
                        "return innerWidth === arguments[0] && document.documentElement.scrollWidth <= document.documentElement.clientWidth;",
                        pixels)));
    }

    public WebElement find(String selector) {
        return browser.driver().findElement(By.cssSelector(selector));
    }

    public List<WebElement> all(String selector) {
        return browser.driver().findElements(By.cssSelector(selector));
    }

    /** A view that is drawn again meanwhile is read again. */
    public List<String> texts(String selector) {
        return Wait.until("the texts of " + selector)
                .pollInterval(Duration.ZERO)
                .ignoring(StaleElementReferenceException.class)
                .value(() -> all(selector).stream().map(WebElement::getText).toList(), texts -> true);
    }

    public String text(String selector) {
        return String.join("\n", texts(selector));
    }

    /** The rows of the table that is open, with the cells of these columns only. */
    @SuppressWarnings("unchecked")
    public List<List<String>> rows(List<String> columns) {
        return (List<List<String>>) browser.value("""
                const titles = [...document.querySelectorAll('thead th')].map((cell) => cell.textContent);
                const wanted = arguments[0].map((title) => titles.indexOf(title));
                return [...document.querySelectorAll('tbody tr')].map((row) => wanted.map((index) => row.cells[index].textContent));
                """, columns);
    }

    public String summary() {
        return text("#summary");
    }

    /** @param select by an attribute, such as {@code #resource} */
    public void choose(String select, String text) {
        all("select" + select + " option").stream()
                .filter(option -> option.getText().equals(text))
                .findFirst()
                .orElseThrow()
                .click();
    }

    /** Types into an input after deleting what it has. */
    public void type(String input, String text) {
        find("input[name=" + input + "]").sendKeys(Keys.chord(Keys.CONTROL, "a"), Keys.BACK_SPACE, text);
    }

    public void press(Keys... keys) {
        find(".scroll canvas").sendKeys(keys);
    }

    /**
     * Compares the colour of each zone in the picture with its amounts, while it scrolls through the picture of thousands of nodes.
     * Returns how many zones it has compared.
     *
     * @throws IllegalStateException that names a zone of another colour
     */
    public long compareColours(ExpectedFleet fleet, String resource) {
        return (Long) browser.value(COLOURS, fleet.amounts(resource));
    }

    private static final String COLOURS = """
            const { step, colorOfStep } = await import('/colors.js');
            const nodes = JSON.parse(arguments[0]);
            const box = document.querySelector('.scroll'), canvas = box.querySelector('canvas');
            const [w, h, gap] = [14, 12, 3];
            const columns = Math.floor((canvas.clientWidth - gap) / (w + gap));
            const rows = Math.floor((canvas.clientHeight - gap) / (h + gap));
            const twoFrames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            let compared = 0;
            for (let first = 0; first < nodes.length; first += rows * columns) {
              box.scrollTop = first / columns * (h + gap);
              await twoFrames();
              const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
              for (let index = first; index < Math.min(first + rows * columns, nodes.length); index++) {
                const [node, zones] = nodes[index];
                const x = gap + (index % columns) * (w + gap);
                const y = gap + Math.floor(index / columns) * (h + gap) - box.scrollTop + 8;
                zones.forEach(([free, all], zone) => {
                  // Beside the frame that an empty node has.
                  const at = 4 * (y * canvas.width + x + Math.max(1, Math.round(zone * w / zones.length)));
                  const drawn = '#' + [...pixels.slice(at, at + 3)].map((each) => each.toString(16).padStart(2, '0')).join('');
                  const expected = colorOfStep(step(1 - free / all));
                  if (drawn !== expected) throw new Error(`zone ${zone} of ${node} is ${drawn}, not ${expected}`);
                  compared++;
                });
              }
            }
            return compared;
            """;

    /** Loads the page again, scrolls and filters, and measures it. */
    public PageSpeed speed() {
        browser.driver().navigate().refresh();
        awaitSummary(text -> !text.isEmpty());
        long first = (Long) browser.value("""
                const shown = () => performance.getEntriesByName('shown')[0];
                while (!shown()) await new Promise(requestAnimationFrame);
                return Math.round(shown().startTime);
                """);
        String input = "const input = document.querySelector('input[name=name]');";
        long scrolling = frames("""
                const box = document.querySelector('.scroll');
                box.scrollTop = (count * 37) % (box.scrollHeight - box.clientHeight);
                """);
        long filtering = frames(
                input + "input.value = ['', '1', '12', '2'][count % 4]; input.dispatchEvent(new Event('input'));");
        browser.value(input + "input.value = ''; input.dispatchEvent(new Event('input'));");
        return new PageSpeed(first, scrolling, filtering);
    }

    /** How many frames a second it draws, if something is done in each. */
    private long frames(String what) {
        return (Long) browser.value("""
                let count = 0;
                const begin = performance.now();
                while (performance.now() - begin < 3000) {
                  await new Promise((done) => requestAnimationFrame(done));
                  %s
                  count++;
                }
                return Math.round(1000 * count / (performance.now() - begin));
                """.formatted(what));
    }
}
