package io.stoker.agent.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.policy.AutoPolicy.Condition;
import io.stoker.agent.policy.AutoPolicy.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Hours of virtual time against a second, plain telling of the same rules. */
class AutoPolicyTest {
  private static final long MB = 1L << 20;
  private static final int SEEDS = 3_000;
  private static final long HOUR = 3_600_000;

  @Test
  void aDeviceIsGrantedOnceItHasBeenAvailableForLongEnough() {
    AutoPolicy auto = auto(Settings.DEFAULT, 100_000, "0", "1");

    assertThat(next(auto, 104_999, free("0", 1001), free("1", 2000))).isNull();
    assertThat(next(auto, 105_000, free("0", 1001), free("1", 2000))).isEqualTo("1");
    assertThat(next(auto, 105_000, free("0", 1001), free("1", 2000))).isEqualTo("0");
    assertThat(next(auto, 109_999, free("0", 5000), free("1", 5000))).isNull();
    assertThat(next(auto, 110_000, free("0", 1001), free("1", 1000))).isEqualTo("0");
    assertThat(next(auto, 114_999, free("1", 2000))).as("short a moment ago").isNull();
    assertThat(next(auto, 115_000, free("1", 2000))).isEqualTo("1");
  }

  @Test
  void whatItWithholds_itGivesWhenBothIntervalsAreOver() {
    AutoPolicy auto = auto(Settings.DEFAULT, 100_000, "0", "1");

    assertThat(auto.withheldUntil(free("0", 1001), 103_000)).hasValue(105_000);
    assertThat(auto.withheldUntil(free("0", 1000), 103_000)).as("short of memory").isEmpty();
    assertThat(next(auto, 106_000, free("0", 1001), free("1", 1000))).isEqualTo("0");
    assertThat(auto.withheldUntil(free("0", 1001), 106_000)).hasValue(111_000);
    assertThat(auto.withheldUntil(free("1", 1001), 106_000)).as("short just now").hasValue(111_000);
  }

  @Test
  void freeMemoryMustExceedTheEstimateInWholeMegabytes() {
    AutoPolicy auto = auto(Settings.DEFAULT, 0, "0");

    assertThat(next(auto, 5_000, view("0", 1001 * MB - 1, Map.of()))).isNull();
    assertThat(next(auto, 10_000, view("0", 1001 * MB, Map.of()))).isEqualTo("0");
  }

  @Test
  void theEstimateFollowsTrackedProcessesAloneAndStaysWhenNoneIsSeen() {
    AutoPolicy auto = auto(Settings.DEFAULT, 0, "0");
    auto.addProcess("a");
    auto.addProcess("b");
    auto.addProcess("silent");

    auto.observe(
        List.of(view("0", 0, Map.of("a", 100 * MB + 5, "b", 201 * MB, "stranger", 9000 * MB))), 1);
    assertThat(auto.assumed()).hasValue(150 * MB);

    auto.removeProcess("a");
    auto.removeProcess("nobody knows this one");
    auto.observe(List.of(view("0", 0, Map.of("a", 100 * MB, "b", 201 * MB))), 2);
    assertThat(auto.assumed()).hasValue(201 * MB);

    auto.removeProcess("b");
    auto.observe(List.of(view("0", 0, Map.of("b", 7 * MB))), 3);
    assertThat(auto.assumed()).as("nothing seen").hasValue(201 * MB);
  }

  @Test
  void theLargestCountsIfToldSoAndNothingChangesIfItIsNotDynamic() {
    List<DeviceView> seen = List.of(view("0", 0, Map.of("a", 100 * MB, "b", 300 * MB)));
    AutoPolicy max = auto(with(true, Condition.MAX), 0, "0");
    AutoPolicy fixed = auto(with(false, Condition.MEAN), 0, "0");
    for (AutoPolicy auto : List.of(max, fixed)) {
      auto.addProcess("a");
      auto.addProcess("b");
      auto.observe(seen, 1);
    }

    assertThat(max.assumed()).hasValue(300 * MB);
    assertThat(fixed.assumed()).hasValue(1000 * MB);
  }

  @Test
  void noDevicesGiveNothing() {
    assertThat(next(auto(Settings.DEFAULT, 0), 9_000)).isNull();
  }

  @Test
  void anHourOfAnySequenceGivesWhatTheRulesSay() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random chance = new Random(seed);
      Settings settings =
          new Settings(
              Duration.ofMillis(chance.nextInt(4) * 2_500L),
              chance.nextInt(3) * 500,
              Duration.ofMillis(chance.nextInt(4) * 2_500L),
              chance.nextBoolean(),
              chance.nextBoolean() ? Condition.MEAN : Condition.MAX);
      sequence(seed, chance, settings);
    }
  }

  private static void sequence(int seed, Random chance, Settings settings) {
    List<String> ids = new ArrayList<>();
    for (int i = chance.nextInt(5); i > 0; i--) {
      ids.add("d" + i);
    }
    long now = chance.nextInt(1_000);
    AutoPolicy auto = auto(settings, now, ids.toArray(String[]::new));
    Oracle oracle = new Oracle(settings, ids, now);
    long end = now + HOUR;
    while (now < end) {
      now += chance.nextInt(10) == 0 ? chance.nextInt(300_000) : chance.nextInt(6) * 1_250L;
      String process = "p" + chance.nextInt(4);
      switch (chance.nextInt(4)) {
        case 0 -> {
          auto.addProcess(process);
          oracle.tracked.put(process, true);
        }
        case 1 -> {
          auto.removeProcess(process);
          oracle.tracked.remove(process);
        }
        default -> {
          DeviceView[] views =
              ids.stream().map(id -> anyView(id, chance)).toArray(DeviceView[]::new);
          assertThat(next(auto, now, views))
              .as("seed %d at %d, %s", seed, now, settings)
              .isEqualTo(oracle.next(views, now));
        }
      }
    }
  }

  private static DeviceView anyView(String id, Random chance) {
    Map<String, Long> used = new HashMap<>();
    for (int i = chance.nextInt(3); i > 0; i--) {
      used.put("p" + chance.nextInt(6), chance.nextInt(2_000) * MB + chance.nextInt(5));
    }
    // Few values, so that bounds and ties are met.
    return view(id, chance.nextInt(5) * 500 * MB + chance.nextInt(2), used);
  }

  /** The rules of the scheduler that was the example, told with loops. */
  private static final class Oracle {
    final Map<String, Boolean> tracked = new TreeMap<>();
    private final Settings settings;
    private final List<String> ids;
    private final long[] lastShort;
    private final long[] lastPut;
    private long estimate;

    Oracle(Settings settings, List<String> ids, long start) {
      this.settings = settings;
      this.ids = ids;
      estimate = settings.memory();
      lastShort = new long[ids.size()];
      lastPut = new long[ids.size()];
      for (int i = 0; i < ids.size(); i++) {
        lastShort[i] = start;
        lastPut[i] = Long.MIN_VALUE / 2;
      }
    }

    String next(DeviceView[] views, long now) {
      if (settings.dynamic()) {
        long sum = 0;
        long most = 0;
        int count = 0;
        for (DeviceView view : views) {
          for (String process : view.usedByProcess().keySet()) {
            if (tracked.containsKey(process)) {
              long mb = view.usedByProcess().get(process) / MB;
              sum += mb;
              most = Math.max(most, mb);
              count++;
            }
          }
        }
        if (count > 0) {
          estimate = settings.condition() == Condition.MAX ? most : sum / count;
        }
      }
      int best = -1;
      for (int i = 0; i < ids.size(); i++) {
        long free = views[i].free() / MB;
        if (free <= estimate) {
          lastShort[i] = now;
        }
        boolean granted =
            free > estimate
                && now >= lastShort[i] + settings.availableInterval().toMillis()
                && now >= lastPut[i] + settings.putInterval().toMillis();
        if (granted && (best < 0 || free > views[best].free() / MB)) {
          best = i;
        }
      }
      if (best < 0) {
        return null;
      }
      lastPut[best] = now;
      return ids.get(best);
    }
  }

  private static Settings with(boolean dynamic, Condition condition) {
    return new Settings(Duration.ofSeconds(5), 1_000, Duration.ofSeconds(5), dynamic, condition);
  }

  private static AutoPolicy auto(Settings settings, long start, String... ids) {
    AutoPolicy auto = new AutoPolicy(settings);
    auto.devices(List.of(ids), start);
    return auto;
  }

  private static String next(AutoPolicy auto, long now, DeviceView... views) {
    auto.observe(List.of(views), now);
    List<DeviceView> ranked = auto.rank(List.of(views), now);
    if (ranked.isEmpty()) {
      return null;
    }
    auto.granted(List.of(ranked.get(0).id()), now);
    return ranked.get(0).id();
  }

  private static DeviceView free(String id, long mb) {
    return view(id, mb * MB, Map.of());
  }

  private static DeviceView view(String id, long free, Map<String, Long> used) {
    return new DeviceView(id, 1L << 40, free, 0, used);
  }
}
