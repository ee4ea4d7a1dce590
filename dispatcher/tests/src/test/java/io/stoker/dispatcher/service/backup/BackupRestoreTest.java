package io.stoker.dispatcher.service.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.topics.TopicCreator;
import io.stoker.common.json.Json;
import io.stoker.common.message.HostMessage;
import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.backup.Position;
import io.stoker.dispatcher.backup.Reach.Partition;
import io.stoker.dispatcher.host.HostKeyBook;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.service.postgres.DatabaseAddress;
import io.stoker.dispatcher.service.postgres.DatabaseTls;
import io.stoker.dispatcher.service.postgres.Migration;
import io.stoker.dispatcher.service.postgres.Schema;
import io.stoker.dispatcher.service.status.StatusReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** On a real Postgres and a real Kafka, each test on topics and a database of its own. */
@TestInstance(Lifecycle.PER_CLASS)
class BackupRestoreTest {
  private static final String GROUP = "dispatchers";
  private static final long LATER = 5_000_000_000_000L;

  @TempDir static Path folder;

  private EmbeddedStack stack;
  private KafkaProducer<String, byte[]> producer;
  private Admin admin;

  /** A database that each test's is a copy of. */
  private String migrated;

  private int tests;
  private Place place;
  private Path file;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    stack =
        EmbeddedStack.start(new DataFolder(folder.resolve("stack")), StackOptions.BACKENDS_ONLY);
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap()),
            new StringSerializer(),
            new ByteArraySerializer());
    admin = Admin.create(Map.of("bootstrap.servers", bootstrap()));
    migrated = URI.create(stack.info().postgres()).getPath().substring(1);
    Migration.migrate(database(migrated));
  }

  @AfterAll
  void stop() throws IOException {
    admin.close();
    producer.close();
    stack.close();
  }

  @BeforeEach
  void anew() throws Exception {
    settings.clear();
    said.reset();
    Topics topics = new Topics("t" + ++tests + ".");
    TopicCreator.create(
        stack.info().kafka(), topics.layouts(), Replication.DEFAULT, Duration.ofMinutes(2));
    try (Sql sql = Sql.connect(database(migrated))) {
      sql.run("create database t%d template %s".formatted(tests, migrated));
    }
    place = new Place(database(), stack.info().kafka(), topics, GROUP + tests);
    file = folder.resolve("backup-" + tests + ".zip");
  }

  private String bootstrap() {
    return stack.info().bootstrap();
  }

  private DatabaseAddress database() {
    return database("t" + tests);
  }

  private DatabaseAddress database(String name) {
    URI postgres = URI.create(stack.info().postgres());
    String[] owner = postgres.getUserInfo().split(":", 2);
    return new DatabaseAddress(
        "postgresql://%s:%d/%s".formatted(postgres.getHost(), postgres.getPort(), name),
        owner[0],
        owner[1],
        DatabaseTls.NONE);
  }

  private final Map<String, String> settings = new HashMap<>();
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  private Backup.Taken backup() throws Exception {
    return new Backup(place, say()).take(file, false);
  }

  private Restore.Done restore(boolean force) throws Exception {
    return restore(place, file, force);
  }

  private Restore.Done restore(Place where, Path what, boolean force) throws Exception {
    HostKeyBook book = new HostKeyBook();
    HostKeys keys =
        HostKeys.of(
            new SmallRyeConfigBuilder()
                .withSources(new PropertiesConfigSource(settings, "own", 1))
                .build(),
            book);
    return new Restore(where, keys, book, say()).restore(what, force);
  }

  private Say say() {
    return new Say(new PrintStream(said, true, StandardCharsets.UTF_8));
  }

  private void run(String sql, Object... parameters) throws SQLException {
    try (Sql connection = Sql.connect(database())) {
      connection.run(sql, parameters);
    }
  }

  private List<String> column(String sql) throws SQLException {
    try (Sql connection = Sql.connect(database())) {
      return connection.column(sql);
    }
  }

  private String text(String sql) throws SQLException {
    return column(sql).getFirst();
  }

  private void send(String topic, String key, Object value) {
    producer.send(new ProducerRecord<>(topic, 0, key, value == null ? null : Json.bytes(value)));
    producer.flush();
  }

  /** As if dispatchers had taken everything up to there. */
  private void commit(String group, String topic, long offset)
      throws ExecutionException, InterruptedException {
    admin
        .alterConsumerGroupOffsets(
            group, Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(offset)))
        .all()
        .get();
  }

  private long committed(String group, String topic) throws Exception {
    return admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .get()
        .get(new TopicPartition(topic, 0))
        .offset();
  }

  private void request(String id, String job, String ended) throws SQLException {
    run(
        "insert into request (id, seq, version, spec, job, ended, reason) values (?, 1, 100, '{}', ?, ?,"
            + " E'a\\ttab, a \\\\ and ü\\n')",
        id,
        job,
        ended);
  }

  private void job(String id, int attempt, Long endedAt) throws SQLException {
    run(
        "insert into job (id, fingerprint, role, state, attempt, first_request, queue, priority, seq,"
            + " shape, policy, ended_at, changes) values (?, ?, 1, 'RUNNING', ?, 'r', 'q', 0, 1, '{}',"
            + " '{\"attempts\":{},\"requiresResult\":false,\"preemptible\":false}', ?, 3)",
        id,
        id,
        attempt,
        endedAt);
  }

  private void host(String id, String state, long epoch) throws SQLException {
    run(
        "insert into host (id, fleet, epoch, nonce, journal, state, resources, seen_at, holder) values"
            + " (?, 'default', ?, 'n', 'j', ?, '{\"devices\":[],\"cpuSlots\":1,\"maxOutageMs\":70}', 1,"
            + " '{\"nonce\":\"n\",\"seat\":\"s\"}')",
        id,
        epoch,
        state);
  }

  private void heard(HostMessage message) {
    send(place.topics().heartbeats(), message.host(), message);
  }

  private JsonNode restored(String host) throws Exception {
    return Json.read(text("select restored from host where id = '%s'".formatted(host)));
  }

  @Test
  void everyTableComesBackAsItWas() throws Exception {
    request("r", "j", null);
    job("j", 2, null);
    run("insert into group_count (grp, total, first_at) values ('g', 1, 2)");
    Map<String, List<String>> before = rows();

    Backup.Taken taken = backup();
    run("delete from group_count");
    Restore.Done done = restore(true);

    assertThat(taken.rows()).as("and the clock").isEqualTo(4);
    assertThat(done.rows()).isEqualTo(4);
    Map<String, List<String>> after = rows();
    assertThat(after.remove("restoration")).hasSize(1);
    before.remove("restoration");
    String policy = text("select policy from job");
    assertThat(after.put("job", before.get("job"))).hasSize(1);
    assertThat(after).isEqualTo(before);
    assertThat(Json.read(policy).path("numbersGiven").asInt()).isEqualTo(1_002);
    assertThat(column(Schema.VERSIONS)).contains(Schema.ofThisBuild().version());
    assertThat(column("select nspname from pg_namespace")).doesNotContain(Staging.NAME);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  private Map<String, List<String>> rows() throws SQLException {
    Map<String, List<String>> rows = new TreeMap<>();
    for (String table : Schema.ofThisBuild().tables()) {
      rows.put(table, column("select cast(t as text) from %s t order by 1".formatted(table)));
    }
    return rows;
  }

  /** What is not in the tables' rows would not come back. */
  @Test
  void theSchemaHasNothingButTables() throws Exception {
    assertThat(
            column(
                "select conname from pg_constraint where contype = 'f' union select relname from"
                    + " pg_class where relkind in ('S', 'v', 'm', 'p') and relnamespace ="
                    + " 'public'::regnamespace"))
        .isEmpty();
  }

  @Test
  void numbersThatWereGivenSinceAreNotGivenAgain() throws Exception {
    request("open", "j-open", null);
    job("j-open", 2, null);
    request("over", "j-over", null);
    job("j-over", 4, 77L);
    request("untouched", null, null);
    run("insert into fleet (name, epoch, scheduler, held_until) values ('default', 7, 'd', 9)");
    backup();
    String statuses = place.topics().status();
    send(statuses, "open", Map.of("id", "open", "version", 120, "job", "j-open", "attempt", 9));
    send(statuses, "open", Map.of("id", "open", "version", 110, "job", "j-open", "attempt", 8));
    send(statuses, "since", Map.of("id", "since", "version", 150, "job", "j-since", "attempt", 1));
    send(statuses, "over", null);

    restore(true);

    assertThat(text("select epoch || ' ' || held_until from fleet")).isEqualTo("1007 0");
    assertThat(text("select cast(policy as json) ->> 'numbersGiven' from job where id = 'j-open'"))
        .isEqualTo("1009");
    assertThat(text("select attempt from job where id = 'j-open'")).as("as it is").isEqualTo("2");
    assertThat(
            column("select cast(policy as json) ->> 'numbersGiven' from job where id = 'j-over'"))
        .containsExactly((String) null);
    assertThat(
            text(
                "select r.version + j.changes from request r join job j on j.id = r.job where r.id ="
                    + " 'open'"))
        .as("above what consumers have seen")
        .isEqualTo("121");
    assertThat(column("select version from request where id <> 'open'")).containsOnly("100");
    assertThat(column("select request from restored_status order by 1"))
        .containsExactly("open", "over");
    assertThat(column("select request from due_status")).as("not before all is read").isEmpty();
  }

  @Test
  void whoWasUpOrHeardOfSinceIsToBeSettled() throws Exception {
    host("up", "UP", 5);
    host("gone", "GONE", 3);
    host("back", "GONE", 3);
    heard(AHost.aHost("gone").epoch(3).heartbeat());
    backup();
    heard(AHost.aHost("back").maxOutage(900).hello());
    heard(AHost.aHost("back").epoch(4).heartbeat());
    heard(AHost.aHost("new").hello());
    heard(AHost.aHost("new").epoch(1).heartbeat());
    heard(AHost.aHost("stranger").hello());

    Restore.Done done = restore(true);

    assertThat(done.hosts()).containsExactly("back", "new", "up");
    long floor = 5 + (1 << 20);
    assertThat(restored("up").path("floor").asLong()).isEqualTo(floor);
    assertThat(restored("up").path("outageMs").asLong()).isEqualTo(70);
    assertThat(restored("up").path("successor").asBoolean()).isFalse();
    assertThat(text("select epoch from host where id = 'up'")).isEqualTo("" + floor);
    assertThat(text("select cast(holder as json) ->> 'nonce' = nonce from host where id = 'up'"))
        .as("its seat stays known")
        .isEqualTo("t");
    assertThat(column("select id from host where nonce = 'n'")).isEmpty();
    assertThat(restored("back").path("outageMs").asLong()).isEqualTo(900);
    assertThat(text("select epoch from host where id = 'back'")).isEqualTo("" + (4 + (1 << 20)));
    assertThat(text("select state from host where id = 'new'")).isEqualTo("LOST");
    assertThat(restored("up").path("grantedSince").asBoolean()).isFalse();
    assertThat(restored("back").path("grantedSince").asBoolean()).isTrue();
    assertThat(restored("new").path("grantedSince").asBoolean()).isTrue();
    assertThat(column("select restored from host where id = 'gone'"))
        .containsExactly((String) null);
    assertThat(column("select id from host where id = 'stranger'")).isEmpty();
  }

  @Test
  void theGroupsGoOnWhereTheyStood() throws Exception {
    Topics topics = place.topics();
    for (int i = 0; i < 5; i++) {
      send(topics.requests(), "r", Map.of("id", "r" + i));
    }
    commit(place.group(), topics.requests(), 2);
    String statuses = StatusReader.group(place.group());
    for (int version = 1; version <= 3; version++) {
      send(topics.status(), "r", Map.of("id", "r", "version", version));
    }
    commit(statuses, topics.status(), 1);
    String ofQueue = topics.status("train-" + tests);
    admin.createTopics(List.of(new NewTopic(ofQueue, 1, (short) 1))).all().get();
    send(ofQueue, "r", Map.of("id", "r", "version", 1));
    commit(statuses, ofQueue, 0);
    backup();
    commit(place.group(), topics.requests(), 5);
    commit(statuses, topics.status(), 3);
    commit(statuses, ofQueue, 1);
    String since = topics.status("since-" + tests);
    admin.createTopics(List.of(new NewTopic(since, 1, (short) 1))).all().get();
    send(since, "r", Map.of("id", "r", "version", 1));
    commit(statuses, since, 1);
    send(topics.events(), "h", Map.of());
    commit(place.group() + "-events", topics.events(), 1);

    Restore.Done done = restore(false);

    assertThat(committed(place.group(), topics.requests())).isEqualTo(2);
    assertThat(committed(place.group() + "-events", topics.events())).isZero();
    assertThat(committed(statuses, topics.status()))
        .as("what it owed since is lost with the database")
        .isEqualTo(1);
    assertThat(committed(statuses, ofQueue)).as("that of a queue's own topic, too").isZero();
    assertThat(committed(statuses, since)).as("and of one that was made since").isZero();
    assertThat(done.again()).isEqualTo(4);
    assertThat(
            column(
                "select grp || ' ' || topic || ' ' || part || ' ' || until from restored_partition"))
        .containsExactlyInAnyOrder(
            "%s %s 0 5".formatted(place.group(), topics.requests()),
            "%s-events %s 0 1".formatted(place.group(), topics.events()));
    try (Brokers brokers = place.brokers()) {
      assertThat(brokers.at(List.of(new Position(null, topics.events(), 0, 0))))
          .containsExactly(new Position(place.group() + "-events", topics.events(), 0, 0));
    }
  }

  @Test
  void aDatabaseThatIsNotEmptyIsLeftAlone() throws Exception {
    backup();
    request("precious", null, null);

    assertThatThrownBy(() -> restore(false))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("rows in request")
        .hasMessageContaining("--force");
    assertThat(column("select id from request")).containsExactly("precious");

    restore(true);
    assertThat(column("select id from request")).isEmpty();
  }

  @Test
  void whileADispatcherRunsItIsRefusedAndNamesIt() throws Exception {
    backup();
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            bootstrap(),
            "group.id",
            place.group(),
            "client.id",
            "kafka-consumer-requests");
    try (KafkaConsumer<byte[], byte[]> member =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      member.subscribe(List.of(place.topics().requests()));
      while (member.assignment().isEmpty()) {
        member.poll(Duration.ofMillis(100));
      }
      assertThatThrownBy(() -> restore(true))
          .isInstanceOf(Refused.class)
          .hasMessageContaining("kafka-consumer-requests of group " + place.group());
    }
  }

  @Test
  void topicsThatDoNotReachBackAreToldWithTheirFigures() throws Exception {
    Topics topics = place.topics();
    for (int i = 0; i < 5; i++) {
      send(topics.requests(), "r", Map.of("id", "r" + i));
    }
    commit(place.group(), topics.requests(), 2);
    backup();
    admin
        .deleteRecords(
            Map.of(new TopicPartition(topics.requests(), 0), RecordsToDelete.beforeOffset(4)))
        .all()
        .get();
    request("precious", null, null);

    assertThatThrownBy(() -> restore(true))
        .isInstanceOf(Refused.class)
        .hasMessageContaining(topics.requests() + "-0: backup at 2, topic has 4 to 5");
    assertThat(column("select id from request")).containsExactly("precious");
  }

  @Test
  void offsetsOfOtherTopicsMeanNothing() throws Exception {
    backup();
    Place other = new Place(database(), stack.info().kafka(), new Topics("other."), GROUP);
    assertThatThrownBy(() -> restore(other, file, true))
        .isInstanceOf(Refused.class)
        .hasMessageContaining(place.topics().prefix(), "other.");

    Manifest real = manifest();
    Path elsewhere = folder.resolve("elsewhere-%d.zip".formatted(tests));
    write(elsewhere, empty(real, real.schema(), "another"));
    assertThatThrownBy(() -> restore(place, elsewhere, true))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("cluster another");
  }

  /** Else consumers would drop all that is said of requests that are accepted again. */
  @Test
  void aDatabaseWhoseClockIsFarBehindIsRefused() throws Exception {
    backup();
    send(place.topics().status(), "since", Map.of("id", "since", "version", LATER));
    request("precious", null, null);

    assertThatThrownBy(() -> restore(true))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("clock is")
        .hasMessageContaining("of request since:");
    assertThat(column("select id from request")).containsExactly("precious");
  }

  @Test
  void theClockGoesOnFromWhereItWas() throws Exception {
    backup();
    long ahead = System.currentTimeMillis() + 3_600_000;
    send(place.topics().status(), "since", Map.of("id", "since", "version", ahead));

    restore(true);

    assertThat(Long.parseLong(text("select " + Schema.CLOCK))).isGreaterThan(ahead);
  }

  @Test
  void aFileOfALaterBuildIsRefused() throws Exception {
    backup();
    Manifest real = manifest();
    Path later = folder.resolve("later-%d.zip".formatted(tests));
    write(later, empty(real, "99.1", real.cluster()));
    assertThatThrownBy(() -> restore(place, later, true))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("99.1", Schema.ofThisBuild().version());
  }

  private static Manifest empty(Manifest real, String schema, String cluster) {
    return new Manifest(
        real.format(),
        schema,
        real.at(),
        cluster,
        real.prefix(),
        null,
        real.consumed(),
        real.statuses(),
        real.ends(),
        List.of());
  }

  private Manifest manifest() {
    try (BackupReader reader = new BackupReader(file)) {
      return reader.manifest();
    }
  }

  private static void write(Path to, Manifest manifest) throws IOException {
    try (BackupWriter writer = new BackupWriter(to)) {
      writer.finish(manifest);
    }
  }

  @Test
  void aFileThatIsDamagedIsRefusedWherever() throws Exception {
    for (int i = 0; i < 50; i++) {
      request("r" + i, null, null);
    }
    backup();
    byte[] whole = Files.readAllBytes(file);
    Path damaged = folder.resolve("damaged-%d.zip".formatted(tests));

    Files.write(damaged, java.util.Arrays.copyOf(whole, whole.length / 2));
    assertThatThrownBy(() -> restore(place, damaged, true)).isInstanceOf(Refused.class);

    // In what the rows are compressed to: anywhere else the file may be as good as before.
    String text = new String(whole, java.nio.charset.StandardCharsets.ISO_8859_1);
    int entry = text.indexOf(BackupWriter.entry("request"));
    for (int at = entry + 60; at < entry + 160; at += 20) {
      byte[] flipped = whole.clone();
      flipped[at] ^= 4;
      Files.write(damaged, flipped);
      assertThatThrownBy(() -> restore(place, damaged, true))
          .as("byte %d", at)
          .isInstanceOf(Refused.class)
          .hasMessageContaining("damaged");
    }
    assertThat(column("select id from request")).hasSize(50);
  }

  @Test
  void aFileThatIsThereIsNotOverwrittenUnasked() throws Exception {
    Files.writeString(file, "mine");
    assertThatThrownBy(this::backup).isInstanceOf(Refused.class).hasMessageContaining("--force");
    assertThat(Files.readString(file)).isEqualTo("mine");

    assertThat(new Backup(place, say()).take(file, true).rows()).as("the clock").isOne();
    assertThat(Files.list(folder).map(Path::getFileName).map(Path::toString))
        .noneMatch(name -> name.endsWith(".partial"));
  }

  /** Whoever was let in to the tables that are replaced is let in to those that replace them. */
  @Test
  void rightsOfOthersStay() throws Exception {
    backup();
    run("drop role if exists reader");
    run("create role reader");
    run("grant select on request to reader");

    restore(true);

    assertThat(text("select has_table_privilege('reader', 'request', 'SELECT')")).isEqualTo("t");
    assertThat(text("select has_table_privilege('reader', 'job', 'SELECT')")).isEqualTo("f");
    run("drop owned by reader");
    run("drop role reader");
  }

  /** It may still run what neither this database knows nor the one that was restored before. */
  @Test
  void whoWasNotSettledBeforeIsToBeSettledAgain() throws Exception {
    host("cut-off", "LOST", 3);
    host("unknown", "LOST", 3);
    host("lost", "LOST", 3);
    run(
        "update host set restored = '{\"at\":1,\"floor\":3,\"outageMs\":900,\"grantedSince\":true,\"successor\":false}'"
            + " where id = 'cut-off'");
    run(
        "update host set restored = '{\"at\":1,\"floor\":3,\"grantedSince\":false,\"successor\":false}'"
            + " where id = 'unknown'");
    backup();

    Restore.Done done = restore(true);

    assertThat(done.hosts()).containsExactly("cut-off", "unknown");
    assertThat(restored("cut-off").path("floor").asLong()).isEqualTo(3 + (1 << 20));
    assertThat(restored("cut-off").path("outageMs").asLong()).isEqualTo(900);
    assertThat(restored("cut-off").path("grantedSince").asBoolean()).isTrue();
    assertThat(restored("unknown").hasNonNull("outageMs")).as("silence proves nothing").isFalse();
    assertThat(restored("unknown").path("grantedSince").asBoolean()).isFalse();
  }

  /** What people said of it before its agent said hello is no word about what it runs now. */
  @Test
  void whoCameBackAfterTheBackupIsDeadNoMore() throws Exception {
    host("back", "LOST", 3);
    host("burnt", "LOST", 3);
    run("update host set cordoned = true, drain = '{\"deadline\":7,\"dead\":true}'");
    backup();
    heard(AHost.aHost("back").hello());
    heard(AHost.aHost("back").epoch(4).heartbeat());

    restore(true);

    assertThat(Json.read(text("select drain from host where id = 'back'")))
        .isEqualTo(Json.read("{\"deadline\":7}"));
    assertThat(
            Json.read(text("select drain from host where id = 'burnt'")).path("dead").asBoolean())
        .isTrue();
  }

  @Test
  void oneIsPutBackAtATime() throws Exception {
    backup();
    request("precious", null, null);
    try (Sql other = Sql.connect(database())) {
      Staging staging = new Staging(other);
      staging.claim();

      assertThatThrownBy(() -> restore(true))
          .isInstanceOf(Refused.class)
          .hasMessageContaining("another restore");
      assertThat(column("select id from request")).containsExactly("precious");
    }
    restore(true);
    assertThat(column("select id from request")).isEmpty();
  }

  /** Else nothing of what its agents have said since would be believed, and nobody be told. */
  @Test
  void hostsWithKeysAreNotHeardWithoutTheSecret() throws Exception {
    host("keyed", "LOST", 3);
    run("update host set key = '{\"used\":true,\"generation\":0}'");
    backup();
    heard(AHost.aHost("keyed").epoch(4).heartbeat());
    request("precious", null, null);

    assertThatThrownBy(() -> restore(true))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("keyed")
        .hasMessageContaining("stoker.host-secret");
    assertThat(column("select id from request")).containsExactly("precious");
  }

  @Test
  void whoseMessagesAreNotSignedByThisSecretIsTold() throws Exception {
    host("keyed", "LOST", 3);
    backup();
    heard(AHost.aHost("keyed").epoch(4).heartbeat());
    heard(AHost.aHost("nobody").epoch(4).heartbeat());
    settings.put("stoker.host-secret", "5ec2e7".repeat(12));

    assertThat(restore(true).hosts()).isEmpty();
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("host keyed: 1 of its messages", "stoker.host-secret")
        .doesNotContain("nobody");
  }

  /** Else dispatchers of the other group would neither be seen nor read again. */
  @Test
  void offsetsOfOtherGroupsMeanNothing() throws Exception {
    backup();
    Place other = new Place(database(), stack.info().kafka(), place.topics(), "others");
    assertThatThrownBy(() -> restore(other, file, true))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("group " + place.group())
        .hasMessageContaining("stoker.group is others");
  }

  @Test
  void whatIsNoMessageOnTheTopicsIsPassedOver() throws Exception {
    backup();
    heard(AHost.aHost("no\0host").epoch(4).heartbeat());
    heard(new HostMessage.Hello("lacking", "n", "j", "default", "1", "boot", null, List.of()));
    heard(AHost.aHost("new").epoch(1).heartbeat());
    String statuses = place.topics().status();
    send(statuses, "no\0request", Map.of("version", 5));
    send(statuses, "odd", Map.of("version", 6, "job", "no\0job"));
    send(statuses, "many", Map.of("version", 7, "job", "j", "attempt", Integer.MAX_VALUE));
    send(statuses, "late", Map.of("version", Long.MAX_VALUE));

    assertThat(restore(true).hosts()).containsExactly("new");
  }

  /** Its other tables would stay, and be in the way of the next migration. */
  @Test
  void aDatabaseOfALaterBuildIsRefused() throws Exception {
    backup();
    run(
        "insert into flyway_schema_history (installed_rank, version, description, type, script,"
            + " installed_by, execution_time, success) values (9999, '99.1', 'later', 'SQL', 'later',"
            + " 'us', 1, true)");
    assertThatThrownBy(() -> restore(true))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("99.1", Schema.ofThisBuild().version());
  }

  /** A table that is emptied or replaced meanwhile looks empty to a transaction from before. */
  @Test
  void noTableIsReplacedWhileABackupIsTaken() throws Exception {
    request("r", null, null);
    ExecutorService beside = Executors.newSingleThreadExecutor();
    try (Sql holds = Sql.connect(database())) {
      holds.begin();
      holds.run("lock table memory_seen in access exclusive mode");
      Future<Backup.Taken> taken = beside.submit(this::backup);
      awaitOneThatWaits();
      try (Sql other = Sql.connect(database())) {
        other.begin();
        other.run("set local lock_timeout = '1s'");
        other.run("truncate request");
        other.run("insert into control_done (id, done_at) values ('emptied', 1)");
        other.commit();
      } catch (SQLException locked) {
        assertThat(locked.getSQLState()).isEqualTo("55P03");
      }
      holds.commit();
      taken.get();
    } finally {
      beside.shutdownNow();
    }

    assertThat(rowsOf("control_done") + rowsOf("request"))
        .as("either from before, or from after")
        .isOne();
  }

  private long rowsOf(String table) {
    return manifest().tables().stream()
        .filter(one -> one.name().equals(table))
        .findFirst()
        .orElseThrow()
        .rows();
  }

  private void awaitOneThatWaits() {
    await("it to wait for a lock")
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                !column(
                        "select pid from pg_stat_activity where application_name = 'stoker-backup' and"
                            + " wait_event_type = 'Lock'")
                    .isEmpty());
  }

  /** Or nothing would ever be scheduled: nobody reads and commits what is no more. */
  @Test
  void whatTheTopicsLostSinceIsNotWaitedFor() throws Exception {
    String topic = place.topics().requests();
    for (int i = 0; i < 5; i++) {
      send(topic, "r", Map.of("id", "r" + i));
    }
    commit(place.group(), topic, 2);
    dropBefore(topic, 5);
    try (Brokers brokers = place.brokers()) {
      assertThat(brokers.at(List.of(new Position(null, topic, 0, 0))))
          .containsExactly(new Position(place.group(), topic, 0, 5));
    }
  }

  private void dropBefore(String topic, long offset) throws Exception {
    admin
        .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset)))
        .all()
        .get();
  }

  /** Filling the tables may take longer than the topics are kept. */
  @Test
  void topicsThatEndMeanwhileAreToldToo() throws Exception {
    Topics topics = place.topics();
    for (int i = 0; i < 5; i++) {
      send(topics.requests(), "r", Map.of("id", "r" + i));
    }
    commit(place.group(), topics.requests(), 2);
    backup();
    request("precious", null, null);
    ExecutorService beside = Executors.newSingleThreadExecutor();
    try (Sql holds = Sql.connect(database())) {
      holds.begin();
      holds.run("lock table request in access share mode");
      Future<Restore.Done> done = beside.submit(() -> restore(true));
      awaitOneThatWaits();
      dropBefore(topics.requests(), 4);
      holds.commit();

      assertThatThrownBy(done::get)
          .hasCauseInstanceOf(Refused.class)
          .hasMessageContaining(topics.requests() + "-0: backup at 2, topic has 4 to 5");
    } finally {
      beside.shutdownNow();
    }
    assertThat(column("select id from request")).containsExactly("precious");
  }

  @Test
  void aTopicIsNotReadFromAnywhereElse() throws Exception {
    String topic = place.topics().requests();
    for (int i = 0; i < 3; i++) {
      send(topic, "r", Map.of("id", "r" + i));
    }
    dropBefore(topic, 2);
    try (TopicReader reader = new TopicReader(place.kafka())) {
      Position from = new Position(null, topic, 0, 0);
      assertThatThrownBy(
              () -> reader.each(List.of(from), List.of(new Partition(from, 0, 3)), record -> {}))
          .isInstanceOf(Refused.class)
          .hasMessageContaining(topic + "-0");
    }
  }

  /** It has secrets, and nobody would know of it. */
  @Test
  void nothingIsLeftOfWhatIsRefused() throws Exception {
    backup();
    send(place.topics().status(), "since", Map.of("id", "since", "version", LATER));

    assertThatThrownBy(() -> restore(true)).isInstanceOf(Refused.class);

    assertThat(column("select nspname from pg_namespace")).doesNotContain(Staging.NAME);
  }

  @Test
  void rightsToColumnsStayAndThoseThatMayBePassedOn() throws Exception {
    backup();
    run("drop role if exists reader");
    run("create role reader");
    run("grant select on request to reader with grant option");
    run("grant select (id), update (state) on job to reader");

    restore(true);

    assertThat(text("select has_table_privilege('reader', 'request', 'SELECT WITH GRANT OPTION')"))
        .isEqualTo("t");
    assertThat(text("select has_column_privilege('reader', 'job', 'id', 'SELECT')")).isEqualTo("t");
    assertThat(text("select has_column_privilege('reader', 'job', 'state', 'UPDATE')"))
        .isEqualTo("t");
    assertThat(text("select has_column_privilege('reader', 'job', 'state', 'SELECT')"))
        .isEqualTo("f");
    run("drop owned by reader");
    run("drop role reader");
  }

  /** Those that the owner of the database has for others would end it half-way. */
  @Test
  void itMayTakeAsLongAsItTakes() throws Exception {
    String us = text("select quote_ident(current_user)");
    run("alter role %s set statement_timeout = '9s'".formatted(us));
    run("alter role %s set idle_in_transaction_session_timeout = '9s'".formatted(us));
    run("alter role %s set lock_timeout = '9s'".formatted(us));
    try (Sql sql = Sql.connect(database())) {
      assertThat(sql.text("show statement_timeout")).isEqualTo("0");
      assertThat(sql.text("show idle_in_transaction_session_timeout")).isEqualTo("0");
      assertThat(sql.text("show lock_timeout")).isEqualTo("0");
    } finally {
      run("alter role %s reset all".formatted(us));
    }
  }

  @Test
  void whatIsNotThereIsNamed() {
    assertThatThrownBy(() -> new Backup(place, say()).take(folder, true))
        .isInstanceOf(Refused.class)
        .hasMessage(folder + " is a folder: name a file in it");
    Place other = new Place(database(), stack.info().kafka(), new Topics("none."), GROUP);
    assertThatThrownBy(() -> new Backup(other, say()).take(file, false))
        .hasMessageContaining("none.heartbeats");
  }
}
