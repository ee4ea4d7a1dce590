package io.stoker.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {
  @TempDir Path folder;

  @Test
  void optionWinsOverVariableWinsOverHome() {
    Map<String, String> environment = Map.of("STOKER_DATA", "/from/variable");

    assertThat(DataFolder.choose(Optional.of(Path.of("/from/option")), environment))
        .hasToString("/from/option");
    assertThat(DataFolder.choose(Optional.empty(), environment)).hasToString("/from/variable");
    assertThat(DataFolder.choose(Optional.empty(), Map.of()).root())
        .isEqualTo(Home.locate().root().resolve(".stoker"));
  }

  @Test
  void isReadableByItsOwnerAlone() throws IOException {
    DataFolder data = new DataFolder(folder.resolve("new"));

    data.create();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.root())))
        .isEqualTo("rwx------");
  }

  @Test
  void create_whereAnEarlierBuildMadeItWider_narrowsItWithItsLogsAndSecrets() throws IOException {
    Path log = Files.createDirectories(folder.resolve("logs")).resolve("dispatcher-1.log");
    Files.writeString(log, "said");
    Files.writeString(folder.resolve("settings.json"), "{}");
    for (String wide : List.of("", "logs", "logs/dispatcher-1.log", "settings.json")) {
      Files.setPosixFilePermissions(
          folder.resolve(wide), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    new DataFolder(folder).create();

    for (Path one : List.of(folder, folder.resolve("logs"))) {
      assertThat(one).satisfies(is -> assertThat(mode(is)).isEqualTo("rwx------"));
    }
    for (Path one : List.of(log, folder.resolve("settings.json"))) {
      assertThat(one).satisfies(is -> assertThat(mode(is)).isEqualTo("rw-------"));
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void create_withACommaInThePath_isRefused() {
    DataFolder data = new DataFolder(folder.resolve("a,b"));

    assertThatThrownBy(data::create).isInstanceOf(IOException.class).hasMessageContaining("comma");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void hasOneLock() throws IOException {
    DataFolder data = new DataFolder(folder);

    try (DataLock held = DataLock.tryTake(data).orElseThrow()) {
      assertThat(held).isNotNull();
      assertThat(DataLock.tryTake(data)).isEmpty();
    }

    Optional<DataLock> again = DataLock.tryTake(data);
    assertThat(again).isPresent();
    again.get().close();
  }

  @Test
  void whatIsDamagedOfTheLastRunIsPassedOver() throws IOException {
    DataFolder data = new DataFolder(folder);
    Files.createFile(data.runningFile());
    Files.write(data.lastStartFile(), new byte[64]);
    List<String> said = new ArrayList<>();

    assertThat(RunningStack.find(data)).isEmpty();
    assertThat(RunningStack.lastWritten(data, said::add)).isEmpty();
    assertThat(LastStart.read(data, said::add)).isEmpty();

    assertThat(said).hasSize(2);
    assertThat(said.get(0)).contains("passed over", "running.json is damaged");
    assertThat(said.get(1)).contains("passed over", "last-start.json is damaged");
  }

  @Test
  void keepsItsSettings() throws IOException {
    DataFolder data = new DataFolder(folder);
    StackSettings settings =
        StackSettings.fresh("cluster", false).withPorts(Map.of("kafka", 12345));

    settings.write(data);

    assertThat(StackSettings.read(data)).contains(settings);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.settingsFile())))
        .isEqualTo("rw-------");
  }
}
