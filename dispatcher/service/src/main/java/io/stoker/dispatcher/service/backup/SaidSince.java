package io.stoker.dispatcher.service.backup;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.HostMessage;
import io.stoker.common.request.RequestId;
import io.stoker.common.text.PlainText;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.backup.HeardHosts;
import io.stoker.dispatcher.backup.Position;
import io.stoker.dispatcher.backup.Reach.Partition;
import io.stoker.dispatcher.host.HostKeyBook;
import io.stoker.dispatcher.model.HostKey;
import io.stoker.dispatcher.service.config.HostKeys;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What the topics tell that no dispatcher reads again, of the time since a backup: who held which
 * epochs, and what was said of requests.
 *
 * @param from where that begins
 * @param followed the partitions as they are
 */
record SaidSince(
    Place place, Say say, TopicReader topics, List<Position> from, List<Partition> followed) {
  /** No job has had as many attempts: whoever says more is none of ours. */
  private static final int MOST_ATTEMPTS = 1_000_000_000;

  /** Nor was it ever so late, ms since 1970, which versions go by: that is in the year 33658. */
  private static final long LATEST_VERSION = 1_000_000_000_000_000L;

  /** Notes it where {@link FixUps} looks for it. */
  void note(Sql sql, HostKeys keys, HostKeyBook book, long backupAt) throws SQLException {
    book.read(knownKeys(sql), backupAt);
    noteHosts(sql, new Listener(keys, Set.copyOf(sql.column("select id from host"))));
    noteStatuses(sql);
  }

  private void noteHosts(Sql sql, Listener listener) throws SQLException {
    String topic = place.topics().heartbeats();
    topics.each(
        of(topic),
        partitions(topic),
        record -> {
          say.nowAndThen("reading what hosts said since: offset %,d", record.offset());
          listener.hear(record);
        });
    listener.refused.forEach(
        (host, messages) ->
            say.line(
                "host %s: %,d of its messages since then are not believed, since they are not signed with"
                    + " its key: is this the dispatchers' stoker.host-secret?",
                host, messages));
    try (Rows rows = new Rows(sql, "heard_host", FixUps.HEARD_HOST)) {
      for (HeardHosts.Heard host : listener.heard.all()) {
        if (host.epoch() > 0) {
          rows.add(
              host.id(),
              host.fleet(),
              host.version(),
              host.epoch(),
              host.outageMs(),
              host.resources() == null ? null : Json.text(host.resources()));
        }
      }
      rows.finish();
    }
  }

  private static Map<String, HostKey> knownKeys(Sql sql) throws SQLException {
    Map<String, HostKey> keys = new HashMap<>();
    String all =
        "select json_build_object('host', id, 'key', key::json)::text from host where key is not null";
    for (String one : sql.column(all)) {
      try {
        JsonNode row = Json.read(one.getBytes(StandardCharsets.UTF_8));
        keys.put(row.path("host").asText(), Json.read(row.path("key"), HostKey.class));
      } catch (MalformedJson e) {
        throw new SQLException("what is stored of a host's key cannot be read: " + one, e);
      }
    }
    return keys;
  }

  /** Hears hosts, and believes them by their keys. */
  private static final class Listener {
    private final HostKeys keys;
    private final Set<String> known;
    private final HeardHosts heard = new HeardHosts();

    /** How many messages of each known host were not believed. */
    private final Map<String, Long> refused = new TreeMap<>();

    Listener(HostKeys keys, Set<String> known) {
      this.keys = keys;
      this.known = known;
    }

    void hear(ConsumerRecord<byte[], byte[]> record) {
      if (record.value() == null) {
        return;
      }
      try {
        JsonNode tree = Json.read(record.value());
        HostMessage message = Json.read(tree, HostMessage.class);
        if (Topics.isHost(message.host())
            && isBelieved(message.host(), tree)
            && !message.lacksSomething()) {
          heard.heard(message);
        }
      } catch (MalformedJson noMessageOfAHost) {
        // Nor did a dispatcher take it for one.
      }
    }

    /**
     * Whether it is of the host. Without the secret nothing of hosts with keys could be believed,
     * and who holds epochs since would not be known.
     */
    private boolean isBelieved(String host, JsonNode message) {
      if (keys.proof(host, message) != HostKeys.Proof.REFUSED) {
        return true;
      }
      if (!keys.required()) {
        throw new Refused(
            "host %s has a key, and without stoker.host-secret nobody knows whether it was that host which spoke after the backup: set it as the dispatchers have it"
                .formatted(host));
      }
      if (known.contains(host)) {
        refused.merge(host, 1L, Long::sum);
      }
      return false;
    }
  }

  private void noteStatuses(Sql sql) throws SQLException {
    String topic = place.topics().status();
    try (Rows rows = new Rows(sql, "said_status", FixUps.SAID_STATUS)) {
      topics.each(
          of(topic),
          partitions(topic),
          record -> {
            say.nowAndThen("reading statuses published since: %,d so far", rows.rows());
            add(rows, record);
          });
      rows.finish();
    }
  }

  private static void add(Rows rows, ConsumerRecord<byte[], byte[]> record) throws SQLException {
    String request = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    if (!RequestId.isValid(request)) {
      return; // It is not ours.
    }
    try {
      JsonNode status =
          record.value() == null ? Json.tree(List.of()) : Json.readMessage(record.value());
      int attempt = status.path("attempt").asInt();
      long version = status.path("version").asLong();
      if (attempt <= MOST_ATTEMPTS && version <= LATEST_VERSION) {
        rows.add(request, version, PlainText.of(status.path("job").asText(null)), attempt);
      }
    } catch (MalformedJson noStatus) {
      // It is not ours.
    }
  }

  private List<Position> of(String topic) {
    return from.stream().filter(one -> one.topic().equals(topic)).toList();
  }

  private List<Partition> partitions(String topic) {
    return followed.stream().filter(one -> one.at().topic().equals(topic)).toList();
  }
}
