package io.stoker.cli.command;

import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.size.ByteSize;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Says in a line for people what an attempt took. */
final class Took {
  private static final double PER_THOUSAND = 1_000;

  /** Ms; most jobs start at once. */
  private static final long WORTH_SAYING = 100;

  private Took() {}

  /** Leaves out what is not known; empty if nothing is. */
  static String text(Usage usage) {
    if (usage == null) {
      return "";
    }
    return Stream.of(
            seconds("", usage.wallMs()),
            usage.waitedMs() == null || usage.waitedMs() < WORTH_SAYING
                ? null
                : seconds("waited on its host ", usage.waitedMs()),
            seconds("loading ", usage.loadMs()),
            seconds("training ", usage.trainMs()),
            seconds("CPU ", usage.cpuMs()),
            bytes("memory ", usage.peakMemory()),
            seconds("GPU ", usage.gpuMs()),
            bytes("GPU memory ", usage.peakGpuMemory()),
            usage.gpuUtilization() == null ? null : "GPU busy " + usage.gpuUtilization() + " %",
            usage.energyMj() == null ? null : number(usage.energyMj() / PER_THOUSAND) + " J")
        .filter(Objects::nonNull)
        .collect(Collectors.joining(", "));
  }

  private static String seconds(String of, Long ms) {
    return ms == null ? null : of + number(ms / PER_THOUSAND) + " s";
  }

  private static String bytes(String of, Long bytes) {
    return bytes == null ? null : of + ByteSize.text(bytes);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value).replaceFirst("\\.0$", "");
  }
}
