package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/** A real browser without a screen. */
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts one; leaves the test out where Chromium and its driver are not installed. */
    static Browser start(int width, int height, Path downloads) throws IOException {
        String binary =
                installed("LOOM_CHROMIUM", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
        String service =
                installed("LOOM_CHROMEDRIVER", "/usr/bin/chromedriver", "/usr/lib/chromium-browser/chromedriver");
        assumeTrue(
                !binary.isEmpty() && !service.isEmpty(),
                "left out: needs Chromium and its driver; LOOM_CHROMIUM and LOOM_CHROMEDRIVER say where they are");
        ChromeOptions options = new ChromeOptions();
        options.setBinary(binary);
        options.addArguments(
                "--headless=new",
                "--no-sandbox", // Chromium refuses to run as root otherwise
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--force-device-scale-factor=1",
                "--window-size=" + width + "," + height);
        options.setExperimentalOption(
                "prefs",
                Map.of("download.default_directory", downloads.toString(), "download.prompt_for_download", false));
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, java.util.logging.Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService driver = new ChromeDriverService.Builder()
                .usingDriverExecutable(new File(service))
                .usingAnyFreePort()
                .withSilent(true)
                .build();
        return new Browser(new ChromeDriver(driver, options));
    }

    private static String installed(String variable, String... usual) {
        return Stream.concat(Stream.ofNullable(System.getenv(variable)), Stream.of(usual))
                .filter(path -> Files.isExecutable(Path.of(path)))
                .findFirst()
                .orElse("");
    }

    /** Opens an address, also if only what is after its # differs. */
    void open(String address) {
        driver.get("about:blank");
        driver.get(address);
    }

    WebElement find(String css) {
        return await(css, () -> all(css).stream().findFirst().orElse(null));
    }

    List<WebElement> all(String css) {
        return driver.findElements(By.cssSelector(css));
    }

    void click(String css) {
        find(css).click();
    }

    String text(String css) {
        return find(css).getText();
    }

    /** Waits until something is there. */
    <T> T await(String what, Supplier<T> found) {
        return Objects.requireNonNull(new WebDriverWait(driver, PATIENCE, Duration.ofMillis(30))
                .ignoring(StaleElementReferenceException.class)
                .withMessage(what)
                .until(ignored -> found.get()));
    }

    /** Waits until something is true. */
    void until(String what, Supplier<Boolean> isTrue) {
        await(what, () -> isTrue.get() ? true : null);
    }

    /** Waits until a text is shown somewhere in an element. */
    void untilShown(String css, String text) {
        until(
                css + " shows " + text,
                () -> all(css).stream().anyMatch(each -> each.getText().contains(text)));
    }

    /** The rows of a table by its label, their cells separated by bars. */
    @SuppressWarnings("unchecked")
    List<String> table(String label) {
        return (List<String>) Objects.requireNonNull(run(
                "return [...document.querySelectorAll(`table[aria-label='${arguments[0]}'] tbody tr`)]"
                        + ".map(row => [...row.querySelectorAll('td')].map(cell => cell.innerText.trim()).join('|'))",
                label));
    }

    /** Presses keys where the focus is. */
    void keys(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
    }

    /** Presses keys while Shift is held. */
    void shifted(CharSequence... keys) {
        new Actions(driver).keyDown(Keys.SHIFT).sendKeys(keys).keyUp(Keys.SHIFT).perform();
    }

    /** Drags over an element, from and to shares of its width and height. */
    void drag(String css, double fromX, double fromY, double toX, double toY) {
        WebElement element = find(css);
        int width = element.getSize().width;
        int height = element.getSize().height;
        new Actions(driver)
                .moveToElement(element, at(fromX, width), at(fromY, height))
                .clickAndHold()
                .moveToElement(element, at(toX, width), at(toY, height))
                .release()
                .perform();
    }

    private static int at(double share, int length) {
        return (int) Math.round((share - 0.5) * (length - 2));
    }

    Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** What the browser complained about, such as scripts that failed or were refused. */
    List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(Object::toString)
                .toList();
    }

    /** Makes a picture of what the window shows, without what is empty below. */
    void picture(String name) throws IOException {
        if (!"write".equals(System.getProperty("loom.pictures"))) {
            return;
        }
        Number height = (Number)
                run(
                        "return Math.ceil(Math.min(innerHeight, document.getElementById('page').getBoundingClientRect().bottom))");
        Map<String, Object> clip = Map.of("x", 0, "y", 0, "width", 1280, "height", height, "scale", 1);
        Object data = driver.executeCdpCommand("Page.captureScreenshot", Map.of("clip", clip))
                .get("data");
        Files.write(
                Path.of("../docs/pictures/" + name + ".png"),
                Base64.getDecoder().decode((String) Objects.requireNonNull(data)));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
