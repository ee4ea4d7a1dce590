package io.stoker.e2e.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent's unit, its environment, and the page that says how to install them. */
class SystemdUnitTest {
  private static final Path FOLDER = Checkout.root().resolve("deploy/systemd");
  private static final Path UNIT = FOLDER.resolve("stoker-agent.service");
  private static final String BUILT = "gpu-agent/service/target/quarkus-app/";
  private static final String INSTALLED = "/opt/stoker/agent/";
  private static final Pattern VARIABLE = Pattern.compile("\\bSTOKER_[A-Z_]+\\b");

  @TempDir Path folder;

  @Test
  void jobsSurviveTheAgentAndTheAgentAlwaysComesBack() throws IOException {
    Map<String, List<String>> unit = settings();

    assertThat(unit.get("KillMode")).containsExactly("process");
    assertThat(unit.get("Restart")).containsExactly("always");
    assertThat(unit.get("StartLimitIntervalSec")).containsExactly("0");
    assertThat(unit.get("OOMPolicy"))
        .as("a job's end is not the agent's")
        .containsExactly("continue");
    assertThat(unit.get("ExecStart").getFirst())
        .as("the agent is the unit's main process, and no shell before it")
        .contains("exec ");
    assertThat(unit.get("StateDirectory")).containsExactly("stoker");
  }

  @Test
  void nothingInItHidesTheGpusOrForbidsCompilers() throws IOException {
    assertThat(settings())
        .doesNotContainKeys(
            "PrivateDevices",
            "DevicePolicy",
            "DeviceAllow",
            "ProtectClock",
            "ProtectKernelModules",
            "MemoryDenyWriteExecute",
            "PrivatePIDs",
            "ProtectProc");
  }

  @Test
  void whatItStartsIsWhatTheBuildMakesAndThePageCopies() throws IOException {
    String start = settings().get("ExecStart").getFirst();
    Matcher jar = Pattern.compile("-jar " + INSTALLED + "(\\S+?)'?$").matcher(start);

    assertThat(jar.find()).as(start).isTrue();
    assertThat(Checkout.root().resolve(BUILT + jar.group(1))).exists();
    assertThat(page()).contains(BUILT + " box-2:" + INSTALLED);
    for (Path file : List.of(UNIT, FOLDER.resolve("agent.env"))) {
      assertThat(page()).contains(Checkout.root().relativize(file).toString());
    }
    assertThat(settings().get("EnvironmentFile")).containsExactly("/etc/stoker/agent.env");
    assertThat(page()).contains("/etc/stoker/agent.env");
  }

  @Test
  void everyVariableThatIsNamedIsOneOfTheAgents() throws IOException {
    Set<String> known = ConfigurationPage.read().variables("Agent");
    List<String> named = new ArrayList<>();
    for (String text : List.of(Files.readString(FOLDER.resolve("agent.env")), page())) {
      VARIABLE.matcher(text).results().forEach(found -> named.add(found.group()));
    }
    named.removeAll(List.of("STOKER_BOOTSTRAP", "STOKER_URL")); // the command line's

    assertThat(named).hasSizeGreaterThan(5);
    assertThat(named)
        .allSatisfy(
            name ->
                assertThat(known)
                    .as(name)
                    .anyMatch(one -> one.equals(name) || name.startsWith(one + "_")));
  }

  @Test
  void systemdFindsNothingWrongWithIt() throws Exception {
    Path tool =
        List.of("/usr/bin/systemd-analyze", "/bin/systemd-analyze").stream()
            .map(Path::of)
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(null);
    assumeTrue(tool != null, "there is no systemd-analyze on this machine");

    assertThat(verify(tool, Files.readString(UNIT))).isEmpty();
    assertThat(verify(tool, Files.readString(UNIT).replace("KillMode=process", "KillMode=jobs")))
        .as("it would say so")
        .contains("kill mode");
  }

  /**
   * What it says of this unit; it also looks at the machine's own, which are not ours. One older
   * than 254 says that it ignores the one key that is newer.
   */
  private String verify(Path tool, String text) throws Exception {
    Path unit = Files.writeString(folder.resolve("stoker-agent.service"), text);
    Process process =
        new ProcessBuilder(tool.toString(), "verify", "--man=no", unit.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return String.join(
        "\n",
        said.lines()
            .filter(line -> line.contains("stoker-agent.service"))
            .filter(line -> !line.contains("Unknown key 'DelegateSubgroup'"))
            .toList());
  }

  private static String page() throws IOException {
    return Files.readString(Checkout.root().resolve("docs/second-box.md"));
  }

  private static Map<String, List<String>> settings() throws IOException {
    Map<String, List<String>> settings = new LinkedHashMap<>();
    for (String line : Files.readAllLines(UNIT)) {
      int equals = line.indexOf('=');
      if (equals > 0 && !line.startsWith("#")) {
        settings
            .computeIfAbsent(line.substring(0, equals), none -> new ArrayList<>())
            .add(line.substring(equals + 1));
      }
    }
    return settings;
  }
}
