package io.stoker.dispatcher.service.host;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.HostMessage;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.host.HostMessages;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.service.config.HostKeys.Proof;
import io.stoker.dispatcher.service.runtime.PolledMicroBatcher;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.jboss.logging.Logger;

/** Takes records of the heartbeat log: what is genuine, and a message, is passed on. */
@ApplicationScoped
public class HostRecords {
  private static final Logger LOG = Logger.getLogger(HostRecords.class);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  private final HostKeys keys;
  private final HostMessages messages;
  private final DeadLetters deadLetters;
  private final SetAsides asides;

  HostRecords(HostKeys keys, HostMessages messages, DeadLetters deadLetters, SetAsides asides) {
    this.keys = keys;
    this.messages = messages;
    this.deadLetters = deadLetters;
    this.asides = asides;
  }

  void take(ConsumerRecord<byte[], byte[]> record) {
    if (record.value() == null) {
      return;
    }
    try {
      JsonNode tree = Json.read(record.value());
      HostMessage message = Json.read(tree, HostMessage.class);
      if (!Topics.isHost(message.host())) {
        dead(record, "no message of a host: its name is not " + Topics.HOST);
        return;
      }
      Proof proof = keys.proof(message.host(), tree);
      if (proof == Proof.REFUSED) {
        dead(record, "not signed with the key of host " + message.host());
        return;
      }
      if (message.lacksSomething()) { // sweeps and passes go by it
        dead(record, "a message of a host lacks what it holds, or what it has");
        return;
      }
      messages.take(message, proof == Proof.SIGNED, error -> hasNoEffect(record, error));
    } catch (MalformedJson e) {
      dead(record, "no message of a host: " + e.getMessage());
    } catch (InterruptException e) {
      throw e;
    } catch (RuntimeException e) {
      // One host's message must not end the reading of all others'.
      await(record, hasNoEffect(record, e));
    }
  }

  private Uni<Void> hasNoEffect(ConsumerRecord<byte[], byte[]> record, Throwable error) {
    LOG.warnf(error, "a message of key %s has no effect", key(record));
    asides.failed("messages of hosts", key(record), error);
    return deadLetters.send(
        PolledMicroBatcher.received(record), "it has no effect: " + Fault.sentence(error));
  }

  private static String key(ConsumerRecord<byte[], byte[]> record) {
    return record.key() == null ? "none" : new String(record.key(), StandardCharsets.UTF_8);
  }

  private static void await(ConsumerRecord<byte[], byte[]> record, Uni<Void> deadLetter) {
    try {
      deadLetter.await().atMost(LONGEST_WAIT);
    } catch (RuntimeException e) {
      LOG.warnf(e, "the dead letter of a message of key %s was not sent", key(record));
    }
  }

  private void dead(ConsumerRecord<byte[], byte[]> record, String reason) {
    await(record, deadLetters.send(PolledMicroBatcher.received(record), reason));
  }
}
