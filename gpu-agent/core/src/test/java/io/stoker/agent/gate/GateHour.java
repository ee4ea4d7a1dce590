package io.stoker.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.gate.GatePass.Gpu;
import io.stoker.agent.gate.GatePass.Grant;
import io.stoker.agent.gate.GatePass.Need;
import io.stoker.agent.gate.GatePass.Outcome;
import io.stoker.agent.gate.GatePass.Step;
import io.stoker.agent.gate.GatePass.Waiter;
import io.stoker.agent.gate.GateRules.Limit;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** A host of which the test keeps its own ledger, in whole bytes and plain loops. */
final class GateHour {
  private static final long GB = 1_000_000_000;
  private final Random chance;
  private final long seed;
  private final GateRules rules;
  private final long[] totals;
  private final Map<String, One> all = new TreeMap<>();
  private final long hostTotal;
  private int arrived;

  private static final class One {
    int priority;
    int arrival;
    long memory;
    long cuda;
    int pinned = -1;
    boolean alone;
    Step next = Step.START;
    boolean busy;
    int on = -1;
    long shows;
    long showsOnGpu;
  }

  GateHour(Random chance, long seed) {
    this.chance = chance;
    this.seed = seed;
    rules =
        new GateRules(
            chance.nextInt(6),
            chance.nextInt(5),
            GB,
            GB,
            false,
            new BigDecimal("0.8"),
            limit(chance.nextBoolean() ? "0.8" : "0.5", chance.nextInt(5)),
            limit(chance.nextBoolean() ? "0.8" : "1", chance.nextInt(3)));
    totals = new long[1 + chance.nextInt(3)];
    for (int i = 0; i < totals.length; i++) {
      totals[i] = (8 + chance.nextInt(3) * 4) * GB;
    }
    hostTotal = (20 + chance.nextInt(30)) * GB;
  }

  void run() {
    for (int minute = 0; minute < 40; minute++) {
      change();
      double cpu = chance.nextInt(6) == 0 ? 80 : chance.nextInt(80);
      List<String> expected = oracle(cpu);
      GatePass pass =
          new GatePass(
              new Gates(rules),
              new HostLoad(cpu, hostTotal, hostFree()),
              gpus(),
              granted(),
              count(false),
              count(true));
      Outcome outcome = pass.decide(pending());
      List<String> got = outcome.grants().stream().map(GateHour::text).toList();
      assertThat(got).as("seed %d, minute %d", seed, minute).isEqualTo(expected);
      assertThat(outcome.refusals().size() + got.size()).isEqualTo(pending().size());
      for (Grant grant : outcome.grants()) {
        One one = all.get(grant.name());
        one.busy = true;
        one.on = grant.device().map(Integer::parseInt).orElse(-1);
      }
      noDeviceIsPromisedBeyondWhatItHas();
    }
  }

  private void noDeviceIsPromisedBeyondWhatItHas() {
    for (int i = 0; i < totals.length; i++) {
      int at = i;
      long promised = all.values().stream().filter(o -> o.on == at).mapToLong(o -> o.cuda).sum();
      assertThat(promised).as("seed %d, device %d", seed, i).isLessThanOrEqualTo(totals[i]);
    }
  }

  private static String text(Grant grant) {
    return grant.name() + " " + grant.step() + grant.device().map(id -> " " + id).orElse("");
  }

  private void change() {
    for (String name : List.copyOf(all.keySet())) {
      One one = all.get(name);
      if (one.busy && chance.nextInt(3) > 0) {
        if (one.next == Step.TRAIN) {
          if (chance.nextInt(3) == 0) {
            one.busy = false; // out of memory: it waits again
            one.on = -1;
            one.showsOnGpu = 0;
          } else {
            all.remove(name);
          }
        } else {
          one.busy = false;
          one.shows = one.next == Step.LOAD ? one.memory : 0;
          one.next = one.next == Step.START ? Step.LOAD : Step.TRAIN;
        }
      } else if (one.busy && chance.nextBoolean()) {
        one.shows = one.next == Step.LOAD ? one.memory / 2 : one.shows;
        one.showsOnGpu = one.next == Step.TRAIN ? one.cuda / 2 : 0;
      }
    }
    for (int i = chance.nextInt(3); i > 0; i--) {
      One one = new One();
      one.priority = chance.nextInt(3);
      one.arrival = arrived;
      one.memory = (1 + chance.nextInt(6)) * GB;
      one.cuda = (1 + chance.nextInt(6)) * GB;
      one.pinned = chance.nextInt(4) == 0 ? chance.nextInt(totals.length) : -1;
      one.alone = chance.nextInt(4) == 0;
      all.put("j%03d".formatted(arrived++), one);
    }
  }

  private long hostFree() {
    return hostTotal - all.values().stream().mapToLong(one -> one.shows).sum();
  }

  private long granted() {
    long sum = 0;
    for (One one : all.values()) {
      sum += one.busy && one.next == Step.LOAD ? Math.max(0, one.memory - one.shows) : 0;
    }
    return sum;
  }

  private int count(boolean training) {
    int n = 0;
    for (One one : all.values()) {
      boolean started = one.next != Step.START || one.busy;
      boolean trains = one.next == Step.TRAIN && one.busy;
      n += started && trains == training ? 1 : 0;
    }
    return n;
  }

  private List<Waiter> pending() {
    List<Waiter> pending = new ArrayList<>();
    all.forEach(
        (name, one) -> {
          if (!one.busy) {
            Optional<String> pinned = Optional.of("" + one.pinned).filter(id -> one.pinned >= 0);
            Need gpu = new Need(true, one.cuda, pinned, one.alone, Set.of());
            pending.add(
                new Waiter(name, one.next, one.priority, one.arrival, one.memory, gpu, List.of()));
          }
        });
    return pending;
  }

  private List<Gpu> gpus() {
    List<Gpu> gpus = new ArrayList<>();
    for (int i = 0; i < totals.length; i++) {
      int at = i;
      List<One> holders = all.values().stream().filter(one -> one.on == at).toList();
      long used = holders.stream().mapToLong(one -> one.showsOnGpu).sum();
      long unseen = holders.stream().mapToLong(one -> one.cuda - one.showsOnGpu).sum();
      gpus.add(
          new Gpu(
              "" + i,
              totals[i],
              Optional.of(totals[i] - used - unseen),
              holders.size(),
              holders.stream().anyMatch(one -> one.alone)));
    }
    return gpus;
  }

  /** By the words of the rules, in floating point where they have parts, one after another. */
  private List<String> oracle(double cpu) {
    List<String> grants = new ArrayList<>();
    if (cpu >= 80) {
      return grants;
    }
    long hostLeft = hostFree() - granted();
    int waiting = count(false);
    int processes = waiting + count(true);
    long[] left = new long[totals.length];
    int[] holders = new int[totals.length];
    boolean[] alone = new boolean[totals.length];
    for (int i = 0; i < totals.length; i++) {
      left[i] = totals[i];
      for (One one : all.values()) {
        if (one.on == i) {
          left[i] -= one.cuda;
          holders[i]++;
          alone[i] |= one.alone;
        }
      }
    }
    for (int priority = 2; priority >= 0; priority--) {
      for (Map.Entry<String, One> entry : all.entrySet()) { // names sort as they arrived
        One one = entry.getValue();
        if (one.busy || one.priority != priority) {
          continue;
        }
        if (one.next == Step.START) {
          if ((rules.maxProcess() == 0 || processes < rules.maxProcess())
              && (rules.maxWaiting() == 0 || waiting < rules.maxWaiting())) {
            processes++;
            waiting++;
            grants.add(entry.getKey() + " START");
          }
        } else if (one.next == Step.LOAD) {
          long a = hostLeft - one.memory;
          if (enough(a, hostTotal, rules.memory())) {
            hostLeft = a;
            grants.add(entry.getKey() + " LOAD");
          }
        } else {
          for (int i = 0; i < totals.length; i++) {
            long a = left[i] - one.cuda;
            if ((one.pinned < 0 || one.pinned == i)
                && !alone[i]
                && !(one.alone && holders[i] > 0)
                && enough(a, totals[i], rules.cudaMemory())) {
              left[i] = a;
              holders[i]++;
              alone[i] = one.alone;
              waiting--;
              grants.add(entry.getKey() + " TRAIN " + i);
              break;
            }
          }
        }
      }
    }
    return grants;
  }

  private static Limit limit(String part, long remainGb) {
    return new Limit(new BigDecimal(part), remainGb * GB);
  }

  private static boolean enough(long a, long total, Limit limit) {
    // a / total >= 1 - limit, times 10
    long tenths = 10 - Math.round(limit.part().doubleValue() * 10);
    return a >= 0 && a * 10 >= total * tenths && a >= limit.remain();
  }
}
