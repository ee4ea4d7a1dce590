package io.stoker.cli.stack.kafka;

import io.stoker.cli.local.FreePorts;
import io.stoker.cli.topics.TopicCreator;
import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A broker's start, what a stack asks of it first, and its end: the JVM can note what every start
 * loads and links, and keep it in a cache for those that come later. All that it writes is below
 * the folder that it is started in.
 */
final class KafkaRehearsal {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Path DATA = Path.of("kafka").toAbsolutePath();

  private KafkaRehearsal() {}

  static void run() throws Exception {
    int port = FreePorts.one();
    KafkaRaftServer server =
        KafkaNode.start(
            KafkaSettings.of(DATA, port, FreePorts.one(), List.of()), Uuid.randomUuid().toString());
    ask(KafkaAccess.at("127.0.0.1:" + port));
    server.shutdown();
    server.awaitShutdown();
  }

  private static void ask(KafkaAccess kafka) throws Exception {
    Topics layout = new Topics(Topics.DEFAULT_PREFIX);
    TopicCreator.create(kafka, layout.layouts(), Replication.DEFAULT, PATIENCE);
    byte[] value = {1};
    try (KafkaProducer<byte[], byte[]> producer =
            kafka.producer(Map.of(), new ByteArraySerializer(), new ByteArraySerializer());
        KafkaConsumer<byte[], byte[]> consumer =
            kafka.consumer(
                Map.of("group.id", "rehearsal", "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
      producer.send(new ProducerRecord<>(layout.requests(), value)).get();
      consumer.subscribe(List.of(layout.requests()));
      if (consumer.poll(PATIENCE).isEmpty()) {
        throw new IllegalStateException("what was written is not there to be read");
      }
      consumer.commitSync();
    }
  }
}
