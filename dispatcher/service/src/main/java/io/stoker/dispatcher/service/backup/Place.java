package io.stoker.dispatcher.service.backup;

import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.config.KafkaBean;
import io.stoker.dispatcher.service.postgres.DatabaseAddress;
import io.stoker.kafka.KafkaAccess;
import org.eclipse.microprofile.config.Config;

/**
 * Whose database and topics these are, as configured.
 *
 * @param group Kafka's consumer group of all dispatchers
 */
record Place(DatabaseAddress database, KafkaAccess kafka, Topics topics, String group) {
  static Place of(Config config) {
    return new Place(
        DatabaseAddress.of(config),
        KafkaBean.access(config),
        new Topics(text(config, "stoker.topics.prefix", Topics.DEFAULT_PREFIX)),
        text(config, "stoker.group", "stoker-dispatcher"));
  }

  private static String text(Config config, String key, String otherwise) {
    return config.getOptionalValue(key, String.class).orElse(otherwise);
  }

  Brokers brokers() {
    return new Brokers(kafka, topics, group);
  }
}
