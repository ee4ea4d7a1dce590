package io.stoker.e2e.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The code, docs/configuration.md and docker-compose.yml know the same keys and variables. */
class ConfigurationTest {
  private final ConfigurationPage page = ConfigurationPage.read();

  @ParameterizedTest
  @CsvSource({
    "dispatcher, Dispatcher",
    "migrate,    Dispatcher",
    "agent,      Agent",
    "agent-gpu,  Agent",
    "topics,     Command line"
  })
  void everyVariableOfAServiceIsDocumentedForIt(String service, String section) {
    Set<String> known = new TreeSet<>(page.variables(section));
    known.addAll(page.variables(ConfigurationPage.QUARKUS));
    List<String> given =
        ComposeFile.variables(ComposeFile.read().services().get(service)).stream()
            .filter(name -> name.startsWith("STOKER_") || name.startsWith("QUARKUS_"))
            .toList();
    assertThat(given).isNotEmpty();
    assertThat(known).as("documented under %s", section).containsAll(given);
  }

  @Test
  void everyKeyHasTheVariableThatIsReadForIt() {
    assertThat(page.keys()).hasSizeGreaterThan(20);
    for (ConfigurationPage.Row row : page.keys()) {
      String key = row.names().getFirst();
      assertThat(row.second()).as(key).contains(ConfigurationPage.variable(key));
    }
  }

  @ParameterizedTest
  @CsvSource({"dispatcher/service, Dispatcher", "gpu-agent/service, Agent"})
  void thePageNamesWhatTheCodeReadsWithItsDefaults(String module, String section) throws Exception {
    TreeMap<String, Optional<String>> read = CodeKeys.of(module);
    assumeFalse(read.isEmpty(), module + " reads no stoker.* key");
    assertThat(page.defaults(section)).containsExactlyInAnyOrderEntriesOf(read);
  }

  @ParameterizedTest
  @CsvSource({"dispatcher/service, Dispatcher", "gpu-agent/service, Agent"})
  void thePageSaysBelowWhichKeysEachIsTheUsers(String module, String section) throws Exception {
    Set<String> said = new TreeSet<>();
    for (ConfigurationPage.Row row : page.keys()) {
      if (row.section().equals(section) && row.text().contains("a key each")) {
        said.add(row.names().getFirst());
      }
    }
    assertThat(said).as("stoker up --config goes by it").isEqualTo(CodeKeys.maps(module));
  }
}
