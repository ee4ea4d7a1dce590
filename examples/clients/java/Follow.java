import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Prints the statuses of requests until all have ended: {@code java -cp 'cli/target/lib/*'
 * Follow.java ID...} Exit code 0: all SUCCEEDED, 1: any other end.
 */
public class Follow {
  private static final Set<String> ENDS = Set.of("SUCCEEDED", "FAILED", "CANCELLED", "REJECTED");

  public static void main(String[] args) throws Exception {
    // Kafka's client would print all of its settings first.
    Logger.getLogger("").setLevel(Level.WARNING);
    String bootstrap = System.getenv("STOKER_BOOTSTRAP");
    if (args.length == 0 || bootstrap == null) {
      System.err.println(
          "usage: STOKER_BOOTSTRAP=HOST:PORT java -cp 'cli/target/lib/*' Follow.java ID...");
      System.exit(2);
    }
    Set<String> left = new HashSet<>(Arrays.asList(args));
    Map<String, Long> versions = new HashMap<>();
    boolean succeeded = true;
    ObjectMapper json = new ObjectMapper();
    // No group: a reader for itself alone, which commits nothing.
    Map<String, Object> settings =
        Map.of("bootstrap.servers", bootstrap, "enable.auto.commit", false);
    try (var consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      var partitions =
          consumer.partitionsFor("stoker.status").stream()
              .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
              .toList();
      consumer.assign(partitions);
      // From the beginning: the topic is compacted, so a request that ended long ago is still
      // there.
      consumer.seekToBeginning(partitions);
      while (!left.isEmpty()) {
        for (var record : consumer.poll(Duration.ofSeconds(1))) {
          if (record.value() == null || !left.contains(record.key())) {
            continue; // a tombstone, or not one of ours
          }
          JsonNode status = json.readTree(record.value());
          long version = status.get("version").asLong();
          if (version <= versions.getOrDefault(record.key(), -1L)) {
            continue; // a record may come twice
          }
          versions.put(record.key(), version);
          String state = status.get("state").asText();
          System.out.println(record.key() + " " + state + " " + status.path("reason").asText(""));
          if (ENDS.contains(state)) {
            left.remove(record.key());
            succeeded &= state.equals("SUCCEEDED");
          }
        }
      }
    }
    System.exit(succeeded ? 0 : 1);
  }
}
