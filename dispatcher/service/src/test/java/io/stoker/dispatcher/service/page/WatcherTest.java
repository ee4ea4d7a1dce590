package io.stoker.dispatcher.service.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.service.page.Watcher.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WatcherTest {
  private final List<Signal> told = new ArrayList<>();
  private final Watcher watcher = new Watcher(new Watch(Watch.Of.GROUP, "g"), told::add, 0);

  private void tellAt(long millis) {
    watcher.tell(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private static Change of(String group) {
    return new Change("an-id", null, null, group, null);
  }

  @Test
  void tell_ofWhatWasOpened_isOnceAndThenThatTheConnectionIsThere() {
    for (long at = 0; at <= 10_000; at += 250) {
      tellAt(at);
    }
    assertThat(told).containsExactly(Signal.CHANGED, Signal.ALIVE);
  }

  @Test
  void tell_ofWhatChanges_isAtItsPaceAndOnceMoreWhenItIsQuiet() {
    tellAt(0);
    watcher.see(of("g"));
    tellAt(100);
    assertThat(told).as("not so soon").hasSize(1);
    tellAt(250);
    assertThat(told).hasSize(2);
    watcher.see(of("other"));
    tellAt(3_000);
    assertThat(told).as("not of another group").hasSize(2);
    tellAt(3_250);
    assertThat(told).as("what follows a second later").hasSize(3).containsOnly(Signal.CHANGED);
    tellAt(9_000);
    assertThat(told).hasSize(3);
  }

  @Test
  void tell_ofAHost_isOnceMoreWhenItIsInTheDatabaseAndNowAndThen() {
    Watcher host = new Watcher(new Watch(Watch.Of.HOST, "box"), told::add, 0);
    for (int second = 0; second < 9; second++) {
      host.tell(TimeUnit.SECONDS.toNanos(second));
    }
    assertThat(told).hasSize(1);
    host.see(Change.ofHost("other"));
    host.see(Change.ofHost("box"));
    for (int second = 9; second < 22; second++) {
      host.tell(TimeUnit.SECONDS.toNanos(second));
    }
    assertThat(told).hasSize(3);
    // What nobody tells is looked for.
    host.tell(TimeUnit.SECONDS.toNanos(22));
    assertThat(told).hasSize(4).containsOnly(Signal.CHANGED);
  }
}
