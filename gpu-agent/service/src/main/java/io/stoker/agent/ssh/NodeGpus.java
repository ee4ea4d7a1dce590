package io.stoker.agent.ssh;

import io.stoker.common.message.NodeMachine;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import io.stoker.common.message.Workload.Gpus;
import io.stoker.common.size.ByteSize;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The GPUs of a node, as its mapping tells of them: nothing there is measured. A run has a GPU
 * alone, or shares it with others whose bytes together are no more than it has.
 *
 * @param ids in the order in which they are given away
 * @param memory bytes that each has in all; empty if nothing is said of that
 */
public record NodeGpus(List<String> ids, OptionalLong memory) {
  public NodeGpus {
    ids = List.copyOf(ids);
  }

  /** GPUs of whose memory nothing is said. */
  public static NodeGpus of(String... ids) {
    return new NodeGpus(List.of(ids), OptionalLong.empty());
  }

  /**
   * What a run asks for.
   *
   * @param count how many; 0 = none, and then the rest means nothing
   * @param device the only one that will do
   * @param bytes that each must have, or that the run takes of each if it shares them
   * @param shared whether others may have them, too; without {@code bytes} it has them alone
   */
  record Wanted(int count, Optional<String> device, OptionalLong bytes, boolean shared) {
    static final Wanted NONE = new Wanted(0, Optional.empty(), OptionalLong.empty(), false);

    static Wanted of(Place place) {
      return place.workload() instanceof Workload.Remote(String type, var program, Gpus gpus)
              && gpus.count() > 0
          ? new Wanted(gpus.count(), gpus.device(), gpus.memory(), gpus.shared())
          : NONE;
    }

    private OptionalLong share() {
      return shared ? bytes : OptionalLong.empty();
    }

    /** For people. */
    String text() {
      return count
          + " GPU(s)"
          + (bytes.isPresent() ? " of " + ByteSize.text(bytes.getAsLong()) : "")
          + device.map(id -> ", device " + id).orElse("");
    }
  }

  /**
   * What a run has.
   *
   * @param ids of the GPUs
   * @param share bytes of each, which it shares; empty if it has them alone
   */
  record Taken(List<String> ids, OptionalLong share) {
    /** GPUs that are one run's alone. */
    static Taken alone(String... ids) {
      return new Taken(List.of(ids), OptionalLong.empty());
    }
  }

  /**
   * The first of them that will do and have room.
   *
   * @param taken what runs have
   * @return nothing if there are too few
   */
  Optional<Taken> choose(Wanted wanted, Collection<Taken> taken) {
    List<String> will =
        wanted.device().map(device -> machine().find(device).stream().toList()).orElse(ids);
    List<String> chosen =
        will.stream().filter(id -> hasRoom(id, wanted, taken)).limit(wanted.count()).toList();
    return chosen.size() < wanted.count()
        ? Optional.empty()
        : Optional.of(new Taken(chosen, wanted.share()));
  }

  private boolean hasRoom(String id, Wanted wanted, Collection<Taken> taken) {
    if (wanted.bytes().isPresent() && wanted.bytes().getAsLong() > memory.orElse(-1)) {
      return false;
    }
    List<Taken> others = taken.stream().filter(one -> one.ids().contains(id)).toList();
    if (wanted.share().isEmpty() || others.stream().anyMatch(one -> one.share().isEmpty())) {
      return others.isEmpty();
    }
    long shares = others.stream().mapToLong(one -> one.share().getAsLong()).sum();
    return shares + wanted.share().getAsLong() <= memory.orElse(-1);
  }

  /** As the dispatcher is told of them. */
  NodeMachine machine() {
    return new NodeMachine(ids, memory.isPresent() ? Long.valueOf(memory.getAsLong()) : null);
  }
}
