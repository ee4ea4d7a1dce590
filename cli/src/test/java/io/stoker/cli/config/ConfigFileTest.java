package io.stoker.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.outcome.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigFileTest {
  private static final Set<String> TAKEN = Set.of("STOKER_HTTP_PORT");

  @TempDir Path folder;

  private Path file;

  @BeforeEach
  void place() {
    file = folder.resolve("my.properties");
  }

  @Test
  void readsWhatJavaReads() throws IOException {
    ConfigFile read =
        read(
            """
            # a comment that ends with a backslash \\
            stoker.lease.duration = 20s
            ! another

              stoker.agent.labels.rack:b\\u00e4\\\\2
            stoker.queues."a.b".weight 3
            stoker.pools.echo.command=sh,\\
                -c,\\
                true
            stoker.pools.echo.command[0]=sh
            stoker.mail.to=
            quarkus.log.category."org.acme".level=DEBUG
            %prod.stoker.lease.margin=3s
            """);

    assertThat(read.settings())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "stoker.lease.duration", "20s",
                "stoker.agent.labels.rack", "bä\\2",
                "stoker.queues.\"a.b\".weight", "3",
                "stoker.pools.echo.command", "sh,-c,true",
                "stoker.pools.echo.command[0]", "sh",
                "stoker.mail.to", "",
                "quarkus.log.category.\"org.acme\".level", "DEBUG",
                "%prod.stoker.lease.margin", "3s"));
  }

  @ParameterizedTest
  @CsvSource({
    "stoker.lease.durations, did you mean stoker.lease.duration?",
    "stoker.lease_duration, did you mean stoker.lease.duration?",
    "stokr.lease.duration, did you mean stoker.lease.duration?",
    "lease.duration, did you mean stoker.lease.duration?",
    "stoker.queues.night.wieght, did you mean stoker.queues.night.weight?",
    "stoker.agent.lables.rack, is no key",
    "stoker.no.such.thing, is no key",
    "something.else, is no key"
  })
  void anUnknownKeyIsNamedWithItsLineAndWhatWasMeant(String key, String said) {
    assertThatThrownBy(() -> read("# first\n\nstoker.mail.to=\\\n a@b\n" + key + "=1\n"))
        .isInstanceOfSatisfying(CliException.class, e -> assertThat(e.exitCode()).isEqualTo(2))
        .hasMessageStartingWith(file + " line 5: " + key + " is no key")
        .hasMessageContaining(said);
  }

  @Test
  void aKeyTwiceIsNamedWithBothLines() {
    assertThatThrownBy(() -> read("stoker.mail.to=a@b\r\n\r\nstoker.mail.to=c@d\r\n"))
        .hasMessage(file + " line 3: stoker.mail.to is in line 1 already, expected once");
  }

  @Test
  void whatTheStackSetsItselfIsRefused() {
    assertThatThrownBy(() -> read("stoker.http.port=80"))
        .hasMessageContaining(" line 1: stoker.http.port is what the local stack sets itself");
  }

  @Test
  void aLineThatCannotBeReadIsNamed() {
    assertThatThrownBy(() -> read("stoker.mail.to=a\nstoker.mail.from=\\u12"))
        .hasMessageStartingWith(file + " line 2: a \\u without four");
  }

  @Test
  void aFileThatCannotBeReadIsNamed() throws IOException {
    assertThatThrownBy(() -> ConfigFile.read(file, KnownKeys.ofThisBuild(), TAKEN))
        .hasMessageContaining("--config is " + file)
        .hasMessageContaining("there is no " + file);
    Files.write(file, new byte[] {'#', (byte) 0xff});
    assertThatThrownBy(() -> ConfigFile.read(file, KnownKeys.ofThisBuild(), TAKEN))
        .hasMessageContaining("expected a text file in UTF-8");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SRCFG00039: The config property stoker.mail.port with the value soon",
        "stoker.mail.port: no number"
      })
  void aMessageOfAReaderIsPlaced(String message) throws IOException {
    ConfigFile read = read("stoker.mail.password=x\nstoker.mail.port=soon\n");

    assertThat(read.places(message)).isEqualTo(file + " line 2: stoker.mail.port is soon");
    assertThat(read.places("stoker.mail.password is bad"))
        .isEqualTo(file + " line 1: stoker.mail.password is (hidden)");
    assertThat(read.places("stoker.mail.ports is bad")).isEmpty();
  }

  private ConfigFile read(String text) throws IOException {
    Files.writeString(file, text);
    return ConfigFile.read(file, KnownKeys.ofThisBuild(), TAKEN);
  }
}
