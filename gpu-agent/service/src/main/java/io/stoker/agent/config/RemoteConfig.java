package io.stoker.agent.config;

import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import io.stoker.agent.ssh.LinkSettings.UnknownHosts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The configuration of all runners that work by SSH. */
public interface RemoteConfig {
  /** Where the mapping file is. */
  @WithDefault("/etc/stoker")
  Path folder();

  /** Jobs at once on each node. */
  @WithDefault("1")
  int perNode();

  /** Until a connection stands, and until the user is let in. */
  @WithDefault("5s")
  @WithConverter(Held.Period.class)
  Duration connectTimeout();

  /** Longest silence of a node while something is asked of it. */
  @WithDefault("15s")
  @WithConverter(Held.Period.class)
  Duration answerTimeout();

  /** Between two tries to reach a node again whose link has dropped. */
  @WithDefault("30s")
  @WithConverter(Held.Period.class)
  Duration followEvery();

  /** Longest time without a link, after which both sides give a job up; none if not given. */
  Optional<@WithConverter(Held.Time.class) Duration> followLimit();

  /** Between two looks at a job. */
  @WithDefault("1s")
  @WithConverter(Held.Period.class)
  Duration lookEvery();

  /** Host keys; the user's own file if not given. */
  Optional<Path> knownHosts();

  /** What becomes of a node that is not among them. */
  @WithDefault("strict")
  UnknownHosts unknownHosts();

  /** Of those of the private keys that have one; one for all. */
  Optional<String> keyPassphrase();

  /** Where run folders are on a node, from the user's home. */
  @WithDefault(".stoker")
  String nodeFolder();

  /** Of every job; a request's own win. */
  Map<String, String> env();

  /** Shell text before each job's command. */
  Optional<String> preScript();

  /** Shell text after it. */
  Optional<String> postScript();

  /** Copied into each job's scratch folder. */
  Optional<List<Path>> files();

  /** Of the choice among equal nodes. */
  OptionalLong seed();
}
