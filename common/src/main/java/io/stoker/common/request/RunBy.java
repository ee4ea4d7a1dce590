package io.stoker.common.request;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The means that run a request: a command, on its own, in a container or in stages; or a pool of
 * workers. Its resources suit that.
 *
 * @param command empty for a pool's, and for that of a kind that is not filled in yet
 * @param staged whether it loads and trains as two stages
 * @param workers the pool
 */
record RunBy(
    List<String> command,
    Optional<String> image,
    boolean staged,
    Optional<String> workers,
    Resources resources) {
  /** What the name of an image looks like. */
  private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@+-]*");

  static RunBy read(String id, FieldReader fields, List<String> command) throws RequestRefused {
    Optional<String> image = image(fields);
    Resources resources = ResourcesParser.parse(id, fields.node("resources"), image.isPresent());
    if (!command.isEmpty() && image.isEmpty() && isContainer(resources)) {
      throw fields.refused("image", "missing", "the image to run, for type container");
    }
    Optional<String> workers = workers(fields, resources);
    return new RunBy(command, image, staged(fields, resources), workers, resources);
  }

  /** The program and its arguments; none where a pool of workers runs it. */
  static List<String> command(FieldReader fields) throws RequestRefused {
    if (fields.node("workers").isPresent()) {
      return List.of();
    }
    List<String> command = fields.texts("command", 10_000, FieldReader.MAX_TEXT);
    if (command.isEmpty() || command.get(0).isBlank()) {
      throw fields.refused(
          "command",
          command.isEmpty() ? "missing or empty" : "a blank program",
          "an array of the program and its arguments");
    }
    return command;
  }

  /** A name and not an option: it is an argument of a command line. */
  private static Optional<String> image(FieldReader fields) throws RequestRefused {
    Optional<String> image = fields.text("image", 1024);
    if (image.isPresent() && !IMAGE.matcher(image.get()).matches()) {
      throw fields.refused("image", image.get(), "the name of an image, such as repo/name:tag");
    }
    return image;
  }

  private static boolean isContainer(Resources resources) {
    return resources.type().equals(RunnerType.CONTAINER.key());
  }

  private static boolean staged(FieldReader fields, Resources resources) throws RequestRefused {
    List<String> stages = fields.texts("stages", JobRequest.STAGES.size(), FieldReader.MAX_TEXT);
    if (fields.node("stages").isEmpty()) {
      return false;
    }
    if (!stages.equals(JobRequest.STAGES)) {
      throw fields.refused("stages", fields.node("stages").get(), "[\"load\", \"train\"]");
    }
    if (!plain(resources)) {
      throw fields.refused("resources.type", resources.type(), "cpu or gpu, since it has stages");
    }
    if (resources.gpus() > 1) {
      throw fields.refused(
          "resources.gpus", Integer.toString(resources.gpus()), "0 or 1, since it has stages");
    }
    if (resources.hosts() > 1) {
      throw fields.refused(
          "resources.hosts", Integer.toString(resources.hosts()), "1, since it has stages");
    }
    return true;
  }

  /** What its workers are, and with what they run, is their host's configuration. */
  private static Optional<String> workers(FieldReader fields, Resources resources)
      throws RequestRefused {
    Optional<String> workers = fields.text("workers", PoolName.MAX);
    if (workers.isEmpty()) {
      return workers;
    }
    if (!PoolName.isValid(workers.get())) {
      throw fields.refused("workers", workers.get(), PoolName.EXPECTED);
    }
    for (String own : List.of("command", "env", "workdir", "image", "stages")) {
      if (fields.node(own).isPresent()) {
        throw fields.refused(
            own, fields.node(own).get(), "nothing: the workers of a pool bring their own");
      }
    }
    if (!plain(resources)) {
      throw fields.refused("resources.type", resources.type(), "cpu, since it runs in a pool");
    }
    if (resources.gpus() > 0) {
      throw fields.refused(
          "resources.gpus", Integer.toString(resources.gpus()), "0: a pool's workers have theirs");
    }
    if (resources.hosts() > 1) {
      throw fields.refused(
          "resources.hosts", Integer.toString(resources.hosts()), "1, since it runs in a pool");
    }
    if (resources.offline()) {
      throw fields.refused(
          "resources.network", Resources.NO_NETWORK, "host: a pool's workers have theirs");
    }
    return workers;
  }

  private static boolean plain(Resources resources) {
    return RunnerType.of(resources.type()).filter(RunnerType::plain).isPresent();
  }
}
