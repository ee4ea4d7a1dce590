package io.stoker.common.message;

import io.stoker.common.text.PlainText;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A machine with GPUs that a host runs jobs on.
 *
 * @param gpus ids of its GPUs, in order
 * @param gpuMemory bytes that each of them has in all; null if nothing is said of that
 */
public record NodeMachine(List<String> gpus, Long gpuMemory) {
  public NodeMachine {
    gpus = PlainText.of(gpus);
  }

  /** The id of the GPU that a request means by its id, or by its place: {@code cuda:N}. */
  public Optional<String> find(String device) {
    return IntStream.range(0, gpus.size())
        .filter(n -> device.equals(gpus.get(n)) || device.equals("cuda:" + n))
        .mapToObj(gpus::get)
        .findFirst();
  }
}
