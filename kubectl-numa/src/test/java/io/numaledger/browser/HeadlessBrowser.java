package io.numaledger.browser;

import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Chromium without a screen. */
public final class HeadlessBrowser implements AutoCloseable {

    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

    /** A folder for screenshots: none are made without it. */
    private static final String SCREENSHOTS = "numaledger.screenshots";

    /** It warns of each Chromium that is newer than itself. */
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

    private final ChromeDriver driver;

    private HeadlessBrowser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Skips the test without Chromium. */
    public static HeadlessBrowser start() {
        for (Path file : List.of(CHROMIUM, DRIVER)) {
            assumeTrue(
                    Files.isExecutable(file),
                    "skipped: the page of kubectl numa ui is tested in Chromium, and there is no %s; install Debian's packages chromium and chromium-driver"
                            .formatted(file));
        }
        SELENIUM.setLevel(Level.SEVERE);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(CHROMIUM.toFile());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.SEVERE);
        options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(DRIVER.toFile())
                .usingAnyFreePort()
                .build();
        ChromeDriver driver = new ChromeDriver(service, options);
        driver.manage().timeouts().scriptTimeout(Duration.ofMinutes(2));
        return new HeadlessBrowser(driver);
    }

    public ChromeDriver driver() {
        return driver;
    }

    /** Runs statements in the page that may await, and returns what they return. */
    public Object value(String statements, Object... arguments) {
        Object value = driver.executeAsyncScript(
                "const done = arguments[arguments.length - 1];" + "(async () => { " + statements
                        + " })().then(done, (e) => done('failed: ' + e));",
                arguments);
        if (value instanceof String text && text.startsWith("failed: ")) {
            throw new IllegalStateException("statements in the page have " + text);
        }
        return value;
    }

    public void size(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    public void dark(boolean dark) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    /** What the page has complained about, such as what its policy does not allow. */
    public List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::getMessage)
                .toList();
    }

    public void screenshot(String name) throws IOException {
        String folder = System.getProperty(SCREENSHOTS, "");
        if (!folder.isEmpty()) {
            driver.executeScript("scrollTo(0, 0)");
            Files.createDirectories(Path.of(folder));
            Files.write(Path.of(folder, name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
