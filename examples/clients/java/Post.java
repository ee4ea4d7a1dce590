import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Posts one request: {@code java -cp 'cli/target/lib/*' Post.java ID COMMAND [ARGUMENT...]} */
public class Post {
  public static void main(String[] args) throws Exception {
    // Kafka's client would print all of its settings first.
    Logger.getLogger("").setLevel(Level.WARNING);
    String bootstrap = System.getenv("STOKER_BOOTSTRAP");
    if (args.length < 2 || bootstrap == null) {
      System.err.println(
          "usage: STOKER_BOOTSTRAP=HOST:PORT java -cp 'cli/target/lib/*' Post.java ID COMMAND"
              + " [ARGUMENT...]");
      System.exit(2);
    }
    List<String> command = Arrays.asList(args).subList(1, args.length);
    String request =
        new ObjectMapper().writeValueAsString(Map.of("id", args[0], "command", command));
    Map<String, Object> settings =
        Map.of("bootstrap.servers", bootstrap, "acks", "all", "enable.idempotence", true);
    try (var producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      // Sending again after an error is safe: the same id is the same request.
      producer.send(new ProducerRecord<>("stoker.requests", args[0], request)).get();
    }
    System.out.println(args[0]);
  }
}
