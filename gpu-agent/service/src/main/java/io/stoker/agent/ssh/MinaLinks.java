package io.stoker.agent.ssh;

import java.io.IOException;
import java.net.SocketAddress;
import java.security.PublicKey;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.NamedFactory;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionListener;
import org.apache.sshd.common.signature.Signature;
import org.apache.sshd.core.CoreModuleProperties;

/** Links by Apache MINA's client, whose threads begin with the first link. */
final class MinaLinks implements Links {
  /** Where a session leads to. */
  static final AttributeKey<Route> ROUTE = new AttributeKey<>();

  private final LinkSettings settings;
  private final KnownHosts known;
  private final Map<Node, MinaLink> links = new ConcurrentHashMap<>();
  private Optional<SshClient> client = Optional.empty();
  private boolean closed;

  MinaLinks(LinkSettings settings) {
    this.settings = settings;
    this.known = new KnownHosts(settings.knownHosts(), settings.unknownHosts());
  }

  @Override
  public Link to(Node node) {
    return links.computeIfAbsent(node, to -> new MinaLink(to, settings, this::client));
  }

  private synchronized SshClient client() throws LinkException {
    if (closed) {
      throw new LinkException(LinkException.Kind.UNREACHABLE, "the agent is stopping");
    }
    if (client.isEmpty()) {
      client = Optional.of(start());
    }
    return client.get();
  }

  private SshClient start() {
    SshClient fresh = SshClient.setUpDefaultClient();
    fresh.setServerKeyVerifier(this::verify);
    fresh.addSessionListener(new OrderByKnownKeys());
    // Neither the user's ssh_config nor a password: a node is what the mapping says.
    fresh.setHostConfigEntryResolver(
        org.apache.sshd.client.config.hosts.HostConfigEntryResolver.EMPTY);
    fresh.setUserAuthFactoriesNames("publickey");
    fresh.setFilePasswordProvider(settings.passphrases());
    CoreModuleProperties.IDLE_TIMEOUT.set(fresh, java.time.Duration.ZERO);
    CoreModuleProperties.HEARTBEAT_INTERVAL.set(fresh, settings.answerTimeout());
    CoreModuleProperties.HEARTBEAT_NO_REPLY_MAX.set(fresh, 1);
    CoreModuleProperties.NIO_WORKERS.set(fresh, 2);
    fresh.start();
    return fresh;
  }

  private boolean verify(ClientSession session, SocketAddress address, PublicKey key) {
    Route route = route(session);
    Node node = route.node();
    Optional<String> refused;
    try {
      refused = known.judge(node.knownAs(), node.port(), key);
    } catch (IOException e) {
      refused = Optional.of("%s cannot be used: %s".formatted(settings.knownHosts(), e));
    }
    refused.ifPresent(route::refuse);
    return refused.isEmpty();
  }

  private static Route route(ClientSession session) {
    return session.getConnectionContext().getAttribute(ROUTE);
  }

  /** A host with several keys is to show one that is known. */
  private final class OrderByKnownKeys implements SessionListener {
    @Override
    public void sessionCreated(Session session) {
      Route route = route((ClientSession) session);
      Node node = route.node();
      try {
        List<String> types = known.types(node.knownAs(), node.port());
        List<NamedFactory<Signature>> ordered =
            session.getSignatureFactories().stream()
                .sorted(Comparator.comparing(one -> types.contains(type(one)) ? 0 : 1))
                .toList();
        session.setSignatureFactories(ordered);
      } catch (IOException e) {
        route.refuse(settings.knownHosts() + " cannot be read: " + e);
      }
    }

    private static String type(NamedFactory<Signature> factory) {
      return KeyUtils.getCanonicalKeyType(factory.getName());
    }
  }

  @Override
  public void close() {
    Optional<SshClient> old;
    synchronized (this) {
      closed = true;
      old = client;
    }
    old.ifPresent(SshClient::stop);
  }
}
