package io.stoker.cli.submit;

import io.stoker.cli.input.Submission;
import io.stoker.cli.kafka.RecordWriter;
import io.stoker.common.request.RequestArray;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Writes many requests to the requests topic, to one partition of it, whose order they keep. */
public final class BulkSubmitter {
  private static final int LINGER_MILLIS = 5;

  private BulkSubmitter() {}

  /**
   * Where the broker put a request.
   *
   * @param index within its record
   */
  public record Written(int partition, long offset, int index) {}

  /** Returns when the broker has all of them; by where it put them, their ids. */
  public static Map<Written, String> submit(
      KafkaAccess kafka, Topics topics, List<Submission> requests) {
    Map<Written, String> written = new ConcurrentHashMap<>();
    String key = requests.getFirst().id();
    List<byte[]> bodies = requests.stream().map(Submission::body).toList();
    try (RecordWriter writer = new RecordWriter(kafka, topics.requests(), LINGER_MILLIS)) {
      int from = 0;
      for (RequestArray.Packed packed : RequestArray.pack(bodies, RequestArray.MOST)) {
        List<Submission> some = requests.subList(from, from + packed.count());
        from += packed.count();
        writer.send(key, packed.value(), record -> note(record, some, written));
      }
      writer.flush();
    }
    return written;
  }

  private static void note(
      RecordMetadata record, List<Submission> requests, Map<Written, String> written) {
    for (int i = 0; i < requests.size(); i++) {
      written.put(new Written(record.partition(), record.offset(), i), requests.get(i).id());
    }
  }
}
