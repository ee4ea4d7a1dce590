package io.stoker.cli.submit;

import io.stoker.cli.input.Submission;
import io.stoker.cli.kafka.RecordWriter;
import io.stoker.common.topic.Topics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Writes many requests to the requests topic, to one partition of it, whose order they keep. */
public final class BulkSubmitter {
  private static final int LINGER_MILLIS = 5;

  private BulkSubmitter() {}

  /** Where the broker put a record. */
  public record Written(int partition, long offset) {}

  /** Returns when the broker has all of them; by where it put them, their ids. */
  public static Map<Written, String> submit(
      String bootstrap, Topics topics, List<Submission> requests) {
    Map<Written, String> written = new ConcurrentHashMap<>();
    String key = requests.getFirst().id();
    try (RecordWriter writer = new RecordWriter(bootstrap, topics.requests(), LINGER_MILLIS)) {
      for (Submission request : requests) {
        writer.send(
            key,
            request.body(),
            record -> written.put(new Written(record.partition(), record.offset()), request.id()));
      }
      writer.flush();
    }
    return written;
  }
}
