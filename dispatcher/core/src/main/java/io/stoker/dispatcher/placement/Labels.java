package io.stoker.dispatcher.placement;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Matches a host's labels: those that its agent was given, by equality; else what its GPUs are.
 * Where GPUs differ all of them must be so, because it is the agent that chooses among them; with a
 * pinned device it is that one alone.
 */
public final class Labels {
  private static final Pattern VERSION = Pattern.compile("[0-9]{1,4}([.][0-9]{1,4})?");

  private Labels() {}

  /** Whether a host has all of these, whichever of its devices is taken. */
  public static boolean all(Map<String, String> required, HostResources host) {
    Map<String, String> labels = host.labels() == null ? Map.of() : host.labels();
    return required.entrySet().stream().allMatch(label -> has(label, labels, host.devices()));
  }

  static boolean all(Shape shape, Host host) {
    return shape.require().isEmpty()
        || shape.require().entrySet().stream().allMatch(label -> has(label, shape, host));
  }

  static long preferred(Shape shape, Host host) {
    return shape.prefer().isEmpty()
        ? 0
        : shape.prefer().entrySet().stream().filter(label -> has(label, shape, host)).count();
  }

  /** The first required label that the host has not, for people. */
  static String missing(Shape shape, Host host) {
    return shape.require().entrySet().stream()
        .filter(label -> !has(label, shape, host))
        .findFirst()
        .map(
            label -> "has not %s=%s%s".formatted(label.getKey(), label.getValue(), is(label, host)))
        .orElse("has all labels");
  }

  private static String is(Map.Entry<String, String> label, Host host) {
    String own = host.labels().get(label.getKey());
    if (own != null) {
      return " but " + own;
    }
    List<String> models = host.devices().stream().map(DeviceInfo::model).distinct().toList();
    return label.getKey().equals("model") && !models.isEmpty() ? " but " + models : "";
  }

  private static boolean has(Map.Entry<String, String> label, Shape shape, Host host) {
    return has(
        label,
        host.labels(),
        host.devices().stream()
            .filter(device -> shape.device() == null || device.id().equals(shape.device()))
            .toList());
  }

  private static boolean has(
      Map.Entry<String, String> label, Map<String, String> labels, List<DeviceInfo> devices) {
    String own = labels.get(label.getKey());
    if (own != null) {
      return own.equals(label.getValue());
    }
    return !devices.isEmpty()
        && devices.stream().allMatch(device -> is(device, label.getKey(), label.getValue()));
  }

  private static boolean is(DeviceInfo device, String label, String wanted) {
    return switch (label) {
      case "model" -> isModel(device.model(), wanted);
      case "gpuMemory" -> isSize(wanted) && device.memory() >= ByteSize.parse(wanted);
      case "computeCapability" -> isAtLeast(device.computeCapability(), wanted);
      default -> false;
    };
  }

  /** The product's name, or some whole words of it, whatever the case. */
  private static boolean isModel(String model, String wanted) {
    return model != null
        && (" " + words(model) + " ").contains(" " + words(wanted) + " ")
        && !wanted.isBlank();
  }

  private static String words(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", " ").strip();
  }

  private static boolean isSize(String text) {
    try {
      ByteSize.parse(text);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isAtLeast(String version, String wanted) {
    if (version == null
        || !VERSION.matcher(version).matches()
        || !VERSION.matcher(wanted).matches()) {
      return false;
    }
    int major = Integer.compare(part(version, 0), part(wanted, 0));
    return major != 0 ? major > 0 : part(version, 1) >= part(wanted, 1);
  }

  private static int part(String version, int index) {
    String[] parts = version.split("[.]");
    return index < parts.length ? Integer.parseInt(parts[index]) : 0;
  }
}
