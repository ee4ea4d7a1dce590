package io.stoker.cli.submit;

import io.stoker.cli.input.Submission;
import io.stoker.cli.kafka.RecordWriter;
import io.stoker.common.topic.Topics;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Writes many requests to the requests topic, side by side. */
public final class BulkSubmitter {
  private static final int LINGER_MILLIS = 5;

  private BulkSubmitter() {}

  /** Where the broker put a record. */
  public record Written(int partition, long offset) {}

  /** Returns when the broker has all of them; their order within an id is kept. */
  public static Set<Written> submit(String bootstrap, Topics topics, List<Submission> requests) {
    Set<Written> written = ConcurrentHashMap.newKeySet();
    try (RecordWriter writer = new RecordWriter(bootstrap, topics.requests(), LINGER_MILLIS)) {
      for (Submission request : requests) {
        writer.send(
            request.id(),
            request.body(),
            record -> written.add(new Written(record.partition(), record.offset())));
      }
      writer.flush();
    }
    return written;
  }
}
