package io.stoker.dispatcher.placement;

import io.stoker.common.message.HostMessage.RunnerOffer;
import io.stoker.common.message.NodeMachine;
import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.model.Shape;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The machines on which a host runs jobs of one type, by what it tells of their GPUs. Which of them
 * are free the host alone knows.
 *
 * @param known each kind of machine with GPUs once; none from an agent that does not tell
 * @param most GPUs that one of them has
 */
record NodeMachines(List<NodeMachine> known, int most) {
  /** No machine with GPUs. */
  static final NodeMachines NONE = new NodeMachines(List.of(), 0);

  static NodeMachines of(RunnerOffer offer) {
    return new NodeMachines(
        offer.machines() == null ? List.of() : offer.machines(),
        offer.gpus() == null ? 0 : offer.gpus());
  }

  /** All that several hosts have. */
  static NodeMachines all(Collection<NodeMachines> hosts) {
    return new NodeMachines(
        hosts.stream().flatMap(host -> host.known().stream()).distinct().toList(),
        hosts.stream().mapToInt(NodeMachines::most).max().orElse(0));
  }

  /** Why none of them could ever serve the job, if so. */
  Optional<FilterFailure> never(Shape shape) {
    if (most < shape.nodeGpus()) {
      return Optional.of(FilterFailure.TOO_FEW_GPUS);
    }
    if (shape.nodeGpus() == 0 || (shape.device() == null && shape.gpuMemory() == null)) {
      return Optional.empty();
    }
    if (known.stream().noneMatch(machine -> has(machine, shape.device()))) {
      return Optional.of(FilterFailure.NO_SUCH_DEVICE);
    }
    return known.stream().anyMatch(machine -> serves(machine, shape))
        ? Optional.empty()
        : Optional.of(FilterFailure.TOO_LITTLE_GPU_MEMORY);
  }

  /** What there is not, and what there is, for people; of a job that {@link #never} is served. */
  String lack(Shape shape) {
    String type = shape.type();
    return switch (never(shape).orElseThrow()) {
      case TOO_FEW_GPUS ->
          "a machine with %d GPU(s) for type %s; the most that one has is %d"
              .formatted(shape.nodeGpus(), type, most);
      case NO_SUCH_DEVICE -> "a machine with device %s for type %s".formatted(shape.device(), type);
      default ->
          "a machine with %d GPU(s) of %s for type %s; %s"
              .formatted(
                  shape.nodeGpus(), ByteSize.text(shape.gpuMemory()), type, mostMemory(shape));
    };
  }

  private String mostMemory(Shape shape) {
    return known.stream()
        .filter(machine -> machine.gpuMemory() != null)
        .filter(machine -> machine.gpus().size() >= shape.nodeGpus())
        .map(NodeMachine::gpuMemory)
        .max(Long::compare)
        .map(bytes -> "the most that one is said to have is " + ByteSize.text(bytes))
        .orElse("how much theirs have no mapping says (gpu-memory=…)");
  }

  private static boolean serves(NodeMachine machine, Shape shape) {
    return machine.gpus().size() >= shape.nodeGpus()
        && has(machine, shape.device())
        && (shape.gpuMemory() == null
            || (machine.gpuMemory() != null && machine.gpuMemory() >= shape.gpuMemory()));
  }

  private static boolean has(NodeMachine machine, String device) {
    return device == null || machine.find(device).isPresent();
  }
}
