package io.stoker.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessRefTest {
  private static final ProcessRef THIS = ProcessRef.of(ProcessHandle.current());
  private static final long BEFORE_THE_CLOCK_WAS_SET = THIS.startMillis() - 10_000;

  @Test
  void find_afterTheClockWasSet_isTheProcess() {
    assertThat(new ProcessRef(THIS.pid(), BEFORE_THE_CLOCK_WAS_SET, THIS.start()).find())
        .contains(ProcessHandle.current());
  }

  @Test
  void find_ofAnEarlierProcessOfThatPid_isNone() {
    assertThat(new ProcessRef(THIS.pid(), THIS.startMillis(), THIS.start() + "0").find()).isEmpty();
    assertThat(new ProcessRef(THIS.pid(), BEFORE_THE_CLOCK_WAS_SET, null).find()).isEmpty();
  }

  @Test
  void find_ofWhatAnEarlierBuildNoted_isTheProcess() {
    assertThat(new ProcessRef(THIS.pid(), THIS.startMillis(), null).find())
        .contains(ProcessHandle.current());
  }
}
