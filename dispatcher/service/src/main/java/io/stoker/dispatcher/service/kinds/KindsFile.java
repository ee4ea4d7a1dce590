package io.stoker.dispatcher.service.kinds;

import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestRefused;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.kinds.Kind;
import io.stoker.dispatcher.kinds.KindsReader;
import io.stoker.dispatcher.kinds.KindsRefused;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The file that kinds are configured in. */
final class KindsFile {
  private final Path path;
  private final KindsReader reader;

  KindsFile(Path path, Queues queues) {
    this.path = path;
    // A kind serves whoever may post to its queue, if only by that queue's own topic.
    reader =
        new KindsReader(
            request ->
                queues.find(request.queue()).isPresent()
                    ? Optional.empty()
                    : Optional.of(unknownQueue(request, queues)));
  }

  private static RequestRefused unknownQueue(JobRequest request, Queues queues) {
    String expected = "the name of a configured queue: " + queues.names();
    return new RequestRefused(request.id(), "queue", request.queue(), expected);
  }

  /** A file that was read and is right. */
  record Read(String text, Map<String, Kind> kinds) {}

  Path path() {
    return path;
  }

  /**
   * Reads it.
   *
   * @throws KindsRefused if it cannot be read, or holds what is no kinds
   */
  Read read() throws KindsRefused {
    String text;
    try {
      text = Files.readString(path);
    } catch (IOException e) {
      throw new KindsRefused(0, "cannot be read: " + e);
    }
    return new Read(text, reader.read(YamlText.read(text)));
  }

  /** Kinds that some replica has read and found right. */
  static Map<String, Kind> stored(String text) throws KindsRefused {
    Function<JobRequest, Optional<RequestRefused>> anyQueue = request -> Optional.empty();
    return new KindsReader(anyQueue).read(YamlText.read(text));
  }
}
