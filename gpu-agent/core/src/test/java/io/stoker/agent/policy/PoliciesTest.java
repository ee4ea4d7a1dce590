package io.stoker.agent.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each policy gives, and how they are asked for. */
class PoliciesTest {
  private static final Policies POLICIES = Policies.load();

  /** Devices as {@code id:free:holders}; the order in which the policy would give them. */
  @ParameterizedTest(name = "{0}: {1} -> {2}")
  @CsvSource({
    "first-fit,   a:1:0 b:9:0 c:5:2, a b c",
    "packed,      a:5:0 b:9:0 c:1:2 d:5:1, c a d b",
    "spread,      a:5:1 b:9:1 c:1:0 d:9:1, c b d a",
    "round-robin, a:1:0 b:1:0 c:1:0, b c a",
    "round-robin, a:1:0, a",
  })
  void order(String policy, String devices, String expected) {
    List<DeviceView> views = views(devices);

    assertThat(names(created(policy, views).rank(views, 0))).isEqualTo(expected);
    assertThat(created(policy, List.of()).rank(List.of(), 0)).isEmpty();
  }

  @Test
  void roundRobinBeginsWithTheSecondAndGoesOnInTurn() {
    DevicePolicy policy = created("round-robin", views("0:1:0 1:1:0 2:1:0"));

    assertThat(turns(policy, "0:1:0 1:1:0 2:1:0", 5)).containsExactly("1", "2", "0", "1", "2");
  }

  @Test
  void roundRobinPassesOverWhatCannotServeAndGoesOnBehindIt() {
    DevicePolicy policy = created("round-robin", views("0:1:0 1:1:0 2:1:0"));

    assertThat(turns(policy, "0:1:0 2:1:0", 3)).containsExactly("2", "0", "2");
    assertThat(turns(policy, "0:1:0 1:1:0 2:1:0", 2)).containsExactly("0", "1");
  }

  @Test
  void roundRobinKeepsItsPlaceInANewListModuloItsLength() {
    for (int seed = 0; seed < 2_000; seed++) {
      Random chance = new Random(seed);
      int length = 1 + chance.nextInt(5);
      int place = 0;
      DevicePolicy policy = created("round-robin", list(length));
      for (int step = 0; step < 30; step++) {
        if (chance.nextInt(6) == 0) {
          length = 1 + chance.nextInt(5);
          place %= length;
          policy.devices(list(length).stream().map(DeviceView::id).toList(), 0);
        } else {
          place = (place + 1) % length;
          List<DeviceView> ranked = policy.rank(list(length), 0);
          policy.granted(List.of(ranked.get(0).id()), 0);
          assertThat(ranked.get(0).id()).as("seed %d step %d", seed, step).isEqualTo("" + place);
        }
      }
    }
  }

  @Test
  void randomIsUniformAndRepeatable() {
    Map<String, Integer> firsts = new HashMap<>();
    DevicePolicy one = POLICIES.create(new PolicyChoice("random", Map.of("seed", "7")));
    DevicePolicy same = POLICIES.create(new PolicyChoice("random", Map.of("seed", "7")));
    for (int i = 0; i < 4_000; i++) {
      List<DeviceView> given = one.rank(list(4), i);
      assertThat(given).isEqualTo(same.rank(list(4), i)).hasSize(4);
      firsts.merge(given.get(0).id(), 1, Integer::sum);
    }
    assertThat(firsts.values()).hasSize(4).allMatch(count -> count > 850 && count < 1_150);
  }

  @Test
  void onlyThePoliciesThatAlwaysGrantTakeJobsThatDoNotSayWhatTheyTake() {
    Set<String> take = new HashSet<>();
    for (String name : List.of("auto", "first-fit", "packed", "random", "round-robin", "spread")) {
      if (created(name, List.of()).assumed().isPresent()) {
        take.add(name);
      }
    }
    assertThat(take).containsExactlyInAnyOrder("auto", "random", "round-robin");
  }

  @ParameterizedTest
  @CsvSource({"first-fit, b d", "packed, b d", "spread, d b"})
  void whereJobsShareAsPartsOfADeviceNoneGetsMoreThanThat(String name, String expected) {
    DevicePolicy policy = POLICIES.create(new PolicyChoice(name, Map.of("jobs_per_device", "3")));
    List<DeviceView> views = views("a:9:3 b:5:2 c:1:4 d:7:0");
    policy.devices(views.stream().map(DeviceView::id).toList(), 0);

    assertThat(names(policy.rank(views, 0))).isEqualTo(expected);
    assertThat(policy.assumed(80_000)).as("of nine tenths").hasValue(24_000);
    assertThat(policy.assumed(0)).isEmpty();
    assertThat(created(name, views).assumed(80_000)).isEmpty();
  }

  @Test
  void everyParameterOfAutoCanBeGiven() {
    DevicePolicy auto =
        POLICIES.create(
            new PolicyChoice(
                "auto",
                Map.of(
                    "put_interval", "250ms",
                    "mean-memory-occupated", "300",
                    "available_interval", "0",
                    "dynamic_memory_occupated", "false",
                    "dynamic-condition", "max")));
    auto.devices(List.of("0"), 0);
    DeviceView device = new DeviceView("0", 1L << 40, 301 << 20, 0, Map.of());

    assertThat(auto.assumed()).hasValue(300 << 20);
    assertThat(auto.rank(List.of(device), 0)).hasSize(1);
    auto.granted(List.of("0"), 0);
    assertThat(auto.rank(List.of(device), 249)).isEmpty();
    assertThat(auto.rank(List.of(device), 250)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lucky |       |      | no policy is called 'lucky'; there are auto, first-fit, packed,",
        "auto  | seed  | 1    | policy auto has no parameter seed; it has available-interval,",
        "spread| seed  | 1    | policy spread has no parameter seed; it has jobs-per-device",
        "round-robin | seed | 1 | policy round-robin has no parameter seed; it has none",
        "packed | jobs-per-device | 0 | jobs-per-device of policy packed is '0'; expected 1 or more",
        "random| seed  | soon | parameter seed of policy random is 'soon'; expected a whole number",
        "auto  | put-interval | -5s | parameter put-interval of policy auto is '-5s'; expected a",
        "auto  | dynamic-condition | median | is 'median'; expected mean or max",
        "auto  | mean-memory-occupated | -1 | is '-1'; expected 0 or more",
      })
  void whatCannotBeUsedIsRefusedByName(String name, String key, String value, String message) {
    Map<String, String> parameters = key == null ? Map.of() : Map.of(key, value);

    assertThatThrownBy(() -> POLICIES.create(new PolicyChoice(name, parameters)))
        .isInstanceOf(PolicyException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aUsersPolicyIsFoundByItsName() {
    ClassLoader withOurs =
        new ClassLoader(PoliciesTest.class.getClassLoader()) {
          @Override
          public java.util.Enumeration<java.net.URL> getResources(String name)
              throws java.io.IOException {
            List<java.net.URL> all = java.util.Collections.list(super.getResources(name));
            java.net.URL ours = PoliciesTest.class.getResource("/a-users-policy");
            if (name.equals("META-INF/services/" + DevicePolicyFactory.class.getName())) {
              all.add(ours);
            }
            return java.util.Collections.enumeration(all);
          }
        };

    DevicePolicy policy = Policies.load(withOurs).create(new PolicyChoice("last-fit", Map.of()));

    assertThat(names(policy.rank(views("a:1:0 b:1:0"), 0))).isEqualTo("b a");
  }

  /** As a user would write it. */
  public static final class LastFit implements DevicePolicyFactory {
    @Override
    public String name() {
      return "last-fit";
    }

    @Override
    public DevicePolicy create(PolicyParameters parameters) {
      return (able, nowMs) -> {
        List<DeviceView> reversed = new ArrayList<>(able);
        java.util.Collections.reverse(reversed);
        return reversed;
      };
    }
  }

  @Test
  void aPolicyThatWantsToKnowTheJob_isAskedWithIt() {
    JobView big = job(List.of("train", "--big"));
    DevicePolicy byJob =
        new DevicePolicy() {
          @Override
          public List<DeviceView> rank(List<DeviceView> able, long nowMs) {
            return able;
          }

          @Override
          public List<DeviceView> rank(List<DeviceView> able, JobView job, long nowMs) {
            return job.command().contains("--big") ? able.subList(1, 2) : able.subList(0, 1);
          }
        };

    assertThat(names(new AskedFor(byJob, big).rank(views("a:1:0 b:1:0"), 0))).isEqualTo("b");
    assertThat(names(new AskedFor(byJob, job(List.of("x"))).rank(views("a:1:0 b:1:0"), 0)))
        .isEqualTo("a");
    DevicePolicy asBefore = (able, nowMs) -> able;
    assertThat(names(new AskedFor(asBefore, big).rank(views("a:1:0 b:1:0"), 0))).isEqualTo("a b");
  }

  private static JobView job(List<String> command) {
    return new JobView("r", "j", 1, command, 1, OptionalLong.empty(), true);
  }

  private static DevicePolicy created(String name, List<DeviceView> devices) {
    DevicePolicy policy = POLICIES.create(new PolicyChoice(name, Map.of()));
    policy.devices(devices.stream().map(DeviceView::id).toList(), 0);
    return policy;
  }

  private static List<String> turns(DevicePolicy policy, String able, int times) {
    List<String> given = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      given.add(policy.rank(views(able), 0).get(0).id());
      policy.granted(List.of(given.get(i)), 0);
    }
    return given;
  }

  private static List<DeviceView> list(int length) {
    List<DeviceView> all = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      all.add(new DeviceView("" + i, 1, 1, 0, Map.of()));
    }
    return all;
  }

  private static List<DeviceView> views(String text) {
    return Arrays.stream(text.split(" "))
        .map(one -> one.split(":"))
        .map(
            parts ->
                new DeviceView(
                    parts[0], 100, Long.parseLong(parts[1]), Integer.parseInt(parts[2]), Map.of()))
        .toList();
  }

  private static String names(List<DeviceView> views) {
    return String.join(" ", views.stream().map(DeviceView::id).toList());
  }
}
