package io.stoker.agent.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Sets of GPUs that reach each other fastest. */
class DeviceLinksTest {

  @Test
  void aLinkedPairGoesBeforeTheFirstTwo() {
    Map<String, Map<String, Integer>> scores = new HashMap<>();
    link(scores, "0", "1", 10);
    link(scores, "0", "2", 10);
    link(scores, "1", "2", 460);
    DeviceLinks links = new DeviceLinks(scores);

    assertThat(ids(links.best(devices(3), 2))).isEqualTo("1 2");
    assertThat(ids(links.best(devices(3), 1))).as("one needs no links").isEqualTo("0");
    assertThat(ids(links.best(devices(3), 3))).isEqualTo("0 1 2");
    assertThat(ids(DeviceLinks.UNKNOWN.best(devices(3), 2))).as("equals").isEqualTo("0 1");
  }

  @Test
  void ofUpToEightNoSetIsBetter() {
    for (int seed = 0; seed < 2_000; seed++) {
      Random chance = new Random(seed);
      int size = 2 + chance.nextInt(7);
      int count = 1 + chance.nextInt(size);
      Map<String, Map<String, Integer>> scores = random(chance, size);
      DeviceLinks links = new DeviceLinks(scores);
      List<Device> all = devices(size);

      List<Device> best = links.best(all, count);

      assertThat(best).as("seed %d", seed).hasSize(count).isSubsetOf(all);
      assertThat(best).isSortedAccordingTo((a, b) -> all.indexOf(a) - all.indexOf(b));
      if (count > 1) {
        int most = 0;
        for (int mask = 0; mask < 1 << size; mask++) {
          if (Integer.bitCount(mask) == count) {
            most = Math.max(most, score(scores, mask, size));
          }
        }
        int mask = 0;
        for (Device device : best) {
          mask |= 1 << Integer.parseInt(device.id());
        }
        assertThat(score(scores, mask, size)).as("seed %d", seed).isEqualTo(most);
      }
    }
  }

  @Test
  void ofMoreTheSetGrowsFromTheBestPair() {
    Map<String, Map<String, Integer>> scores = new HashMap<>();
    link(scores, "3", "11", 600);
    link(scores, "11", "7", 300);
    link(scores, "0", "1", 200);

    assertThat(ids(new DeviceLinks(scores).best(devices(12), 3))).isEqualTo("3 7 11");
  }

  private static Map<String, Map<String, Integer>> random(Random chance, int size) {
    Map<String, Map<String, Integer>> scores = new HashMap<>();
    for (int i = 0; i < size; i++) {
      for (int j = i + 1; j < size; j++) {
        link(scores, "" + i, "" + j, chance.nextInt(4) * 100 + 10);
      }
    }
    return scores;
  }

  private static int score(Map<String, Map<String, Integer>> scores, int mask, int size) {
    int sum = 0;
    for (int i = 0; i < size; i++) {
      for (int j = i + 1; j < size; j++) {
        if ((mask & 1 << i) != 0 && (mask & 1 << j) != 0) {
          sum += scores.get("u" + i).get("u" + j);
        }
      }
    }
    return sum;
  }

  private static void link(
      Map<String, Map<String, Integer>> scores, String one, String other, int score) {
    scores.computeIfAbsent("u" + one, uuid -> new HashMap<>()).put("u" + other, score);
    scores.computeIfAbsent("u" + other, uuid -> new HashMap<>()).put("u" + one, score);
  }

  private static List<Device> devices(int count) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      devices.add(new Device("" + i, "u" + i, "Fake", 1, DeviceType.GPU, Optional.empty()));
    }
    return devices;
  }

  private static String ids(List<Device> devices) {
    return String.join(" ", devices.stream().map(Device::id).toList());
  }
}
