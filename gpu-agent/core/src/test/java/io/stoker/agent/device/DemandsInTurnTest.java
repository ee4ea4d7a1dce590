package io.stoker.agent.device;

import static io.stoker.agent.device.Demand.cpus;
import static io.stoker.agent.device.Demands.avoiding;
import static io.stoker.agent.device.Demands.exclusiveWith;
import static io.stoker.agent.device.Demands.gpus;
import static io.stoker.agent.device.Demands.on;
import static io.stoker.agent.device.Demands.shared;
import static io.stoker.agent.device.Demands.sharedWithoutFigure;
import static io.stoker.agent.device.Hosts.GIB;
import static io.stoker.agent.device.Hosts.TOTAL;
import static io.stoker.agent.device.Hosts.decide;
import static io.stoker.agent.device.Hosts.host;
import static io.stoker.agent.device.Hosts.told;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.device.Decision.Granted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of giving devices out, each as a row of demands. */
class DemandsInTurnTest {

  /** Demands in turn, and what becomes of each: the devices, {@code slots:N}, or the refusal. */
  static Arguments[] sequences() {
    Demand oneGpu = gpus(1);
    Demand noFallback =
        new Demand.Gpu(1, OptionalLong.empty(), false, Optional.empty(), false, Set.of());
    return new Arguments[] {
      sequence("two GPUs, no slots", host(0, "0", "1"))
          .gives(oneGpu, "0")
          .gives(oneGpu, "1")
          .gives(oneGpu, "NOT_NOW")
          .gives(cpus(1), "NEVER_FITS")
          .done(),
      sequence("no GPU, two slots: GPU jobs", host(2))
          .gives(oneGpu, "slots:1")
          .gives(oneGpu, "slots:1")
          .gives(oneGpu, "NOT_NOW")
          .gives(cpus(1), "NOT_NOW")
          .done(),
      sequence("no GPU, two slots: a mix", host(2))
          .gives(cpus(1), "slots:1")
          .gives(oneGpu, "slots:1")
          .gives(cpus(1), "NOT_NOW")
          .gives(oneGpu, "NOT_NOW")
          .done(),
      sequence("the order of the list is kept", host(0, "3", "1", "2"))
          .gives(oneGpu, "3")
          .gives(oneGpu, "1")
          .gives(oneGpu, "2")
          .done(),
      sequence("several at once, all or nothing", host(0, "0", "1", "2"))
          .gives(gpus(2), "0,1")
          .gives(gpus(2), "NOT_NOW")
          .gives(oneGpu, "2")
          .gives(gpus(4), "NEVER_FITS")
          .done(),
      sequence("a GPU job takes no slot", host(1, "0"))
          .gives(oneGpu, "0")
          .gives(cpus(1), "slots:1")
          .done(),
      sequence("several slots", host(4))
          .gives(cpus(3), "slots:3")
          .gives(cpus(2), "NOT_NOW")
          .gives(cpus(5), "NEVER_FITS")
          .gives(cpus(1), "slots:1")
          .gives(cpus(0), "slots:0")
          .done(),
      sequence("several GPUs of a host without take as many slots", host(3))
          .gives(gpus(2), "slots:2")
          .gives(gpus(2), "NOT_NOW")
          .gives(gpus(4), "NEVER_FITS")
          .done(),
      sequence("no fallback wanted", host(2)).gives(noFallback, "NO_GPU").done(),
      sequence("no fallback needed", host(2, "0")).gives(noFallback, "0").done(),
      sequence("a GPU host does not fall back", host(2, "0"))
          .gives(oneGpu, "0")
          .gives(oneGpu, "NOT_NOW")
          .done(),
      sequence("a named device and no other", host(0, "0", "1"))
          .gives(on("1"), "1")
          .gives(on("1"), "NOT_NOW")
          .gives(on("7"), "NEVER_FITS")
          .gives(oneGpu, "0")
          .done(),
      sequence("a device that failed it is avoided", host(0, "0", "1"))
          .gives(avoiding(1, "0"), "1")
          .gives(avoiding(1, "0"), "NOT_NOW")
          .gives(oneGpu, "0")
          .done(),
      sequence("by its UUID, too", host(0, "0", "1")).gives(avoiding(1, "uuid of 0"), "1").done(),
      sequence("all that there are", host(0, "0")).gives(avoiding(1, "0"), "0").done(),
      sequence("all are needed", host(0, "0", "1")).gives(avoiding(2, "0"), "0,1").done(),
      sequence("a named device does not fall back", host(2)).gives(on("0"), "NEVER_FITS").done(),
      sequence("more memory than any device has", host(0, "0"))
          .gives(exclusiveWith(TOTAL + 1), "NEVER_FITS")
          .gives(exclusiveWith(TOTAL), "0")
          .done(),
      sequence("sharing without a figure takes the device alone", host(0, "0", "1"))
          .gives(sharedWithoutFigure(), "0")
          .gives(sharedWithoutFigure(), "1")
          .gives(sharedWithoutFigure(), "NOT_NOW")
          .done(),
      sequence("sharing needs a reading of the memory", host(0, "0"))
          .gives(shared(GIB), "NOT_NOW")
          .done(),
    };
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("sequences")
  void demandsInTurn(String name, Inventory inventory, List<Step> steps) {
    DeviceLedger ledger = DeviceLedger.of(inventory);
    for (int i = 0; i < steps.size(); i++) {
      Decision decision = decide(ledger, "job-" + i, steps.get(i).demand());
      assertThat(told(decision)).as("step %d: %s", i, decision).isEqualTo(steps.get(i).outcome());
      if (decision instanceof Granted granted) {
        ledger = granted.ledger();
      }
    }
  }

  record Step(Demand demand, String outcome) {}

  private static final class Sequence {
    private final String name;
    private final Inventory inventory;
    private final List<Step> steps = new ArrayList<>();

    Sequence(String name, Inventory inventory) {
      this.name = name;
      this.inventory = inventory;
    }

    Sequence gives(Demand demand, String outcome) {
      steps.add(new Step(demand, outcome));
      return this;
    }

    Arguments done() {
      return Arguments.of(name, inventory, steps);
    }
  }

  private static Sequence sequence(String name, Inventory inventory) {
    return new Sequence(name, inventory);
  }
}
