package io.stoker.dispatcher.coordinator.host;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.SmallStore.ENVIRONMENT;
import static io.stoker.dispatcher.scenario.SmallStore.only;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.common.message.HostMessage.SettingAnswer;
import io.stoker.common.size.SendLimits;
import io.stoker.dispatcher.coordinator.agent.AgentChannel;
import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.host.HostTransactions.Done;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.host.AgentRecords.Written;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.LeaseBook;
import io.stoker.dispatcher.host.RecentRejections;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.HostSettings;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.scenario.SmallStore;
import io.stoker.dispatcher.store.Store;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What people tell a host is kept, and reaches its agent once the broker is there again. */
class SettingsTest {
  private static final HostSettings AUTO = HostSettings.NONE.withPolicy("auto", Map.of(), "m1");
  private static final HostRow ROW = aHost("h1").row().told(before -> AUTO);

  private final List<String> sent = new ArrayList<>();
  private Optional<Throwable> trouble = Optional.empty();
  private HostService hosts;
  private HostSettingsSender settings;

  @Test
  void whatCannotBeToldForNowIsToldOnceAnInventoryShowsThat() {
    trouble = Optional.of(new TimeoutException("no broker"));
    assertThat(settings.tell("h1", before -> AUTO).await().indefinitely()).isTrue();
    assertThat(sent).isEmpty();

    trouble = Optional.empty();
    Inventory inventory = new Inventory("h1", 1, 1, aHost("h1").resources(), List.of(), null);
    hosts.inventory(inventory, false).await().indefinitely();
    assertThat(sent).anyMatch(record -> record.contains("\"auto\""));

    sent.clear();
    hosts.inventory(inventory, false).await().indefinitely();
    assertThat(sent).as("too soon").noneMatch(record -> record.contains("\"auto\""));
  }

  @Test
  void whatTheBrokerNeverTakesIsRefused() {
    trouble = Optional.of(new IllegalArgumentException("too large"));

    assertThat(settings.tell("h1", before -> AUTO).onFailure().recoverWithItem(false))
        .satisfies(told -> assertThat(told.await().indefinitely()).isFalse());
  }

  @Test
  void whoHasAnsweredHasHeard() {
    SettingAnswer policy = new SettingAnswer("policy", "m1", "there is none");
    SettingAnswer devices = new SettingAnswer("devices", "m2", null);
    HostSettings both = AUTO.withDevices("1,0", "m2");

    assertThat(HostSettings.NONE.unheard(null)).isFalse();
    assertThat(AUTO.unheard(null)).isTrue();
    assertThat(AUTO.unheard(List.of(policy))).isFalse();
    assertThat(both.unheard(List.of(policy))).isTrue();
    assertThat(both.unheard(List.of(policy, devices))).isFalse();
    assertThat(HostSettings.NONE.withDevices("1,0", null).unheard(List.of(devices))).isTrue();
  }

  @BeforeEach
  void makeHosts() {
    HostDirectory directory = new HostDirectory(new LeaseBook(1_000, 0), () -> 0);
    Store store = only(Store.class, Map.of("transaction", work -> told()));
    AgentSender agents =
        new AgentSender(
            ENVIRONMENT,
            store,
            only(AgentChannel.class, Map.of("send", given -> send((Written) given[1]))),
            directory,
            SendLimits.REAL);
    Map<String, Function<Object[], Object>> leads =
        Map.of("epoch", none -> OptionalLong.of(1), "fleet", none -> "default");
    HostTransactions transactions = new HostTransactions(store, only(Leader.class, leads));
    PoolsSender pools =
        new PoolsSender(ENVIRONMENT, store, () -> Uni.createFrom().item(Kinds.NONE), agents);
    HostReplies replies =
        new HostReplies(
            ENVIRONMENT,
            agents,
            pools,
            new HostTerms("default", false, 30_000, 2_000, 60_000, () -> true));
    settings = new HostSettingsSender(ENVIRONMENT, transactions, replies);
    CommitEvents commits =
        only(
            CommitEvents.class, Map.of("afterEnds", unit -> null, "capacityChanged", none -> null));
    hosts =
        new HostService(
            transactions,
            directory,
            new RecentRejections(news -> {}, delay -> {}, () -> 0),
            replies,
            new CommitFollowUp(commits, SmallStore.statuses()));
  }

  /** Whatever is done to the host, it has been told to choose by policy auto. */
  private static Uni<Optional<Done>> told() {
    return Uni.createFrom().item(Optional.of(new Done(ROW, new UnitOfWork(1_000))));
  }

  private Uni<Void> send(Written record) {
    if (trouble.isPresent()) {
      return Uni.createFrom().failure(trouble.get());
    }
    sent.add(new String(record.json(), StandardCharsets.UTF_8));
    return Uni.createFrom().voidItem();
  }
}
