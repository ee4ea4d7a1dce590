package io.stoker.agent.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.DiskSample;
import io.stoker.agent.attempt.Part;
import io.stoker.agent.runner.RunFolders;
import io.stoker.agent.runner.RunUsers;
import io.stoker.agent.spawn.Reserve;
import io.stoker.common.fixture.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskWatchTest {
  private static final long DAY = 86_400_000;
  private static final Input WELL = new Input.PartJudged(Part.DISK, Optional.empty());
  private static final JobShare ALL = new JobShare(1);

  @TempDir Path data;
  private final List<Input> told = new ArrayList<>();
  private final List<AttemptKey> removed = new ArrayList<>();
  private Map<AttemptKey, Long> ended = Map.of();

  private final DiskWatch.Agents agent =
      new DiskWatch.Agents() {
        @Override
        public List<String> running() {
          return List.of("a-1", "gone-1");
        }

        @Override
        public Map<AttemptKey, Long> ended() {
          return ended;
        }

        @Override
        public void remove(AttemptKey key) {
          removed.add(key);
        }

        @Override
        public void tell(Input input) {
          told.add(input);
        }
      };

  private Reserve none() {
    return new Reserve(data, 0);
  }

  @BeforeEach
  void make() throws IOException {
    new RunFolders(data, RunUsers.SELF);
  }

  @Test
  void measuresOutputsAndEverythingElseApartAndFollowsNoLinks() throws IOException {
    Path run = Files.createDirectory(RunFolders.of(data, "a-1"));
    Files.writeString(run.resolve("stdout"), "12345");
    Files.writeString(run.resolve("stderr"), "12");
    Files.createDirectories(run.resolve("work/deep/er"));
    Files.writeString(run.resolve("work/deep/er/model"), "1234567890");
    Files.createSymbolicLink(run.resolve("work/link"), Path.of("/usr"));

    try (DiskWatch watch = watch(DAY, 0, 0, true)) {
      watch.look();
    }

    assertThat(told)
        .containsExactly(
            new Input.DiskSampled(
                Map.of("a-1", new DiskSample(7, 10), "gone-1", new DiskSample(0, 0)),
                OptionalLong.empty()),
            WELL);
  }

  @Test
  void withoutQuotasNothingIsMeasured() throws IOException {
    try (DiskWatch watch = watch(DAY, 0, 1_000, false)) {
      watch.look();
    }
    assertThat(told).containsExactly(WELL);
  }

  @Test
  void whatIsOldGoesWithAllThatIsInIt() throws IOException {
    long now = System.currentTimeMillis();
    Path old = aside("old-1", now - DAY - 1);
    Path fresh = aside("fresh-1", now - DAY + 60_000);

    try (DiskWatch watch = watch(DAY, 0, 1_000, false)) {
      watch.clean(now, 0);
    }

    assertThat(old).doesNotExist();
    assertThat(fresh.resolve("work/file")).exists();
  }

  @Test
  void onAFullDiskWhatIsAsideGoesFirstAndThenWhatIsNotClosed() throws IOException {
    long now = System.currentTimeMillis();
    Path fresh = aside("fresh-1", now - 1);
    AttemptKey open = new AttemptKey("open", 1);
    ended = Map.of(open, now - DAY);

    try (DiskWatch watch = watch(DAY, 100, 1_000, false)) {
      watch.clean(now, 98);
      assertThat(fresh).doesNotExist();
      assertThat(removed).as("four bytes were enough").isEmpty();

      watch.clean(now, 98);
      assertThat(removed).containsExactly(open);
    }
  }

  private DiskWatch watch(long keepMs, long free, long floor, boolean quotas) {
    return watch(data, keepMs, free, floor, quotas);
  }

  private DiskWatch watch(Path at, long keepMs, long free, long floor, boolean quotas) {
    DiskWatch.Rules rules = new DiskWatch.Rules(keepMs, free, new DiskFloor(floor), quotas, ALL);
    return new DiskWatch(at, rules, none(), agent);
  }

  private Path aside(String name, long since) throws IOException {
    Path folder = RunFolders.aside(data).resolve(name);
    Files.createDirectories(folder.resolve("work"));
    Files.writeString(folder.resolve("work/file"), "1234");
    return Files.setLastModifiedTime(folder, FileTime.fromMillis(since));
  }

  @Test
  void tellsOfAShortageUntilThereIsATenthMore() {
    Input shortage =
        new Input.PartJudged(
            Part.DISK,
            Optional.of("999 B are free where its data is, and it takes jobs from 1000 B on"));
    try (DiskWatch watch = watch(0, 0, 1_000, false)) {
      for (long free : new long[] {5_000, 999, 400, 1_050, 1_100, 7_000}) {
        watch.judge(free);
      }
    }
    assertThat(told).containsExactly(WELL, shortage, shortage, shortage, WELL, WELL);
  }

  @Test
  void aDiskWithoutInodesTakesNothingNewUntilThereAreSome() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(data, 16, 64)) {
      Path place = disk.root().resolve("data");
      new RunFolders(place, RunUsers.SELF);
      try (DiskWatch watch = watch(place, 0, 0, 0, false)) {
        watch.look();
        Path files = Files.createDirectory(disk.root().resolve("files"));
        List<Path> made = new ArrayList<>();
        try {
          while (true) {
            made.add(Files.createFile(files.resolve(Integer.toString(made.size()))));
          }
        } catch (IOException none) {
          watch.look();
        }
        Files.delete(made.getFirst());
        watch.look();
      }
      assertThat(told).hasSize(3).first().isEqualTo(WELL);
      assertThat(((Input.PartJudged) told.get(1)).trouble().orElseThrow())
          .startsWith("its data folder cannot be written: ");
      assertThat(told.get(2)).isEqualTo(WELL);
    }
  }

  @Test
  void theReserveIsMadeWhereThereIsRoomAndGivesItBackOnAFullDisk() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(data, 16, 0)) {
      Reserve reserve = new Reserve(disk.root(), 1 << 20);
      reserve.fill(3 << 20);
      assertThat(disk.root().resolve("reserve")).as("too little is free").doesNotExist();
      reserve.fill(4 << 20);
      disk.fill();
      assertThat(disk.root().toFile().getUsableSpace()).isLessThan(1 << 20);
      reserve.release();
      assertThat(disk.root().toFile().getUsableSpace()).isGreaterThanOrEqualTo(1 << 20);
    }
  }
}
