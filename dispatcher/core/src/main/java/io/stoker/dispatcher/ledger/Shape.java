package io.stoker.dispatcher.ledger;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.stoker.common.json.CanonicalJson;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.Resources;
import io.stoker.common.request.RunnerType;
import io.stoker.common.request.VisibleResources;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a job asks of a host. Jobs of one shape are interchangeable to the scheduler, which looks at
 * one of them to know about all.
 *
 * @param gpus GPUs of its host, or of the machine that its runner runs it on; 0 for none
 * @param cpus CPU slots, of a job without a GPU
 * @param gpuMemory bytes on each GPU, null if undeclared
 * @param memory bytes of host memory, null if undeclared
 * @param shared whether others may run on the same GPUs
 * @param device a pinned device, null for any
 * @param cpuFallback whether CPU slots serve where the fleet has no GPU
 * @param staged whether it waits for its GPU on its host
 * @param require labels that the host must have
 * @param prefer labels that are better to have
 * @param avoid hosts that must not serve it
 * @param bucket by what it is like, from 1; 0 for what takes no memory of its own. What is like
 *     takes as much memory, so that what takes more than there is blocks few of those behind it
 *     that take less
 * @param pool the pool of workers that runs it, null if none does; then it takes nothing else
 * @param hosts hosts that it takes at once, each with all the rest; null for one
 * @param runner what runs it, as {@code resources.type} names it; null for a process on CPU slots
 *     or GPUs
 * @param user whose it is, null if nobody's
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public record Shape(
    int gpus,
    int cpus,
    Long gpuMemory,
    Long memory,
    boolean shared,
    String device,
    boolean cpuFallback,
    boolean staged,
    Map<String, String> require,
    Map<String, String> prefer,
    List<String> avoid,
    int bucket,
    String pool,
    Integer hosts,
    String runner,
    String user) {
  private static final int KNOWN = 1_000;
  private static final int KNOWN_LENGTH = 1_000;

  /** Of shapes that were asked for lately: most jobs ask for what others do. */
  private static final Map<Shape, String> TEXTS = new ConcurrentHashMap<>();

  /** The same the other way round. */
  private static final Map<String, Shape> SHAPES = new ConcurrentHashMap<>();

  /** Of jobs that share GPUs. */
  private static final int BUCKETS = 64;

  /** Of all others, which only the host's memory may keep waiting. */
  private static final int FEWER_BUCKETS = 16;

  public Shape {
    require = require == null ? Map.of() : require;
    prefer = prefer == null ? Map.of() : prefer;
    avoid = avoid == null ? List.of() : avoid;
  }

  /** What a request asks of a host. */
  public static Shape of(JobRequest request) {
    return of(request, request.workers().isPresent() ? null : Profile.of(request));
  }

  /**
   * As above.
   *
   * @param profile the request's; null where workers of a pool do its work
   */
  static Shape of(JobRequest request, String profile) {
    Shape shape = of(request.resources(), request.staged()).in(0, request.user().orElse(null));
    return request.workers().isPresent()
        ? shape.onPool(request.workers().get())
        : shape.alike(profile);
  }

  /** What a job that is not staged asks of a host. */
  public static Shape of(Resources resources) {
    return of(resources, false);
  }

  private static Shape of(Resources resources, boolean staged) {
    return new Shape(
        resources.gpus(),
        resources.cpus(),
        resources.gpuMemory().orElse(null),
        resources.memory().orElse(null),
        resources.sharing() == Resources.Sharing.SHARED,
        resources.device().orElse(null),
        resources.cpuFallback(),
        staged,
        resources.require(),
        resources.prefer(),
        resources.avoid(),
        0,
        null,
        resources.hosts() == 1 ? null : Integer.valueOf(resources.hosts()),
        plain(resources) ? null : resources.type(),
        null);
  }

  private static boolean plain(Resources resources) {
    return RunnerType.of(resources.type()).filter(RunnerType::plain).isPresent();
  }

  /** What its host must serve, as {@code resources.type} names it. */
  public String type() {
    if (runner != null) {
      return runner;
    }
    return (gpus > 0 ? RunnerType.GPU : RunnerType.CPU).key();
  }

  /** Whether it takes neither GPUs nor CPU slots of its host, but a slot of its runner alone. */
  public boolean elsewhere() {
    return runner != null && !RunnerType.of(runner).map(RunnerType::onHost).orElse(false);
  }

  /** GPUs that it takes of the machine that its runner runs it on, which is not its host. */
  public int nodeGpus() {
    return elsewhere() ? gpus : 0;
  }

  /** On how many hosts it runs at once. */
  public int members() {
    return hosts == null ? 1 : hosts;
  }

  /**
   * The same, told apart from what takes another amount of memory.
   *
   * @param profile what the job is like
   */
  public Shape alike(String profile) {
    int buckets = gpus > 0 && shared ? BUCKETS : FEWER_BUCKETS;
    return takesHostMemory() ? in(1 + Math.floorMod(profile.hashCode(), buckets), user) : this;
  }

  /** Whether it is a process on its host, of no pool: those of pools are not its own. */
  public boolean takesHostMemory() {
    return pool == null && !elsewhere();
  }

  private Shape in(int other, String name) {
    return new Shape(
        gpus,
        cpus,
        gpuMemory,
        memory,
        shared,
        device,
        cpuFallback,
        staged,
        require,
        prefer,
        avoid,
        other,
        pool,
        hosts,
        runner,
        name);
  }

  /** Its workers have what they take, and it only waits for one of them. */
  private Shape onPool(String name) {
    return new Shape(
        0, 0, null, null, false, null, true, false, require, prefer, avoid, 0, name, null, null,
        user);
  }

  /** What jobs of the shape of this text see of their resources; nothing if it cannot be read. */
  public static Optional<VisibleResources> visible(String text) {
    try {
      return Optional.of(parse(text).visible());
    } catch (IllegalStateException unreadable) {
      return Optional.empty();
    }
  }

  private VisibleResources visible() {
    return new VisibleResources(runner, gpus, members(), device, cpuFallback, require);
  }

  /** The shape of its canonical text. */
  public static Shape parse(String text) {
    Shape known = SHAPES.get(text);
    if (known != null) {
      return known;
    }
    try {
      Shape shape = Json.read(text.getBytes(StandardCharsets.UTF_8), Shape.class);
      remember(SHAPES, text, shape, text);
      return shape;
    } catch (MalformedJson e) {
      throw new IllegalStateException("a stored shape cannot be read: " + text, e);
    }
  }

  /** Its canonical text: equal shapes have equal texts. */
  public String text() {
    String known = TEXTS.get(this);
    if (known != null) {
      return known;
    }
    String text = CanonicalJson.text(Json.tree(this));
    remember(TEXTS, this, text, text);
    return text;
  }

  private static <K, V> void remember(Map<K, V> in, K key, V value, String text) {
    if (in.size() >= KNOWN) {
      in.clear();
    }
    if (text.length() <= KNOWN_LENGTH) {
      in.put(key, value);
    }
  }

  /**
   * Whether whoever can serve a job of the other shape can serve one of this, and not always so the
   * other way round.
   */
  public boolean asksLessThan(Shape other) {
    return other.hasAllOf(this) && !hasAllOf(other);
  }

  /** Whether a job of this shape has all that the other asks for. */
  private boolean hasAllOf(Shape other) {
    return visible().equals(other.visible())
        && Objects.equals(pool, other.pool)
        && staged == other.staged
        && Objects.equals(user, other.user)
        && cpus >= other.cpus
        && atLeast(gpuMemory, other.gpuMemory)
        && atLeast(memory, other.memory)
        && (other.shared || !shared || gpus == 0)
        && avoid.containsAll(other.avoid);
  }

  private static boolean atLeast(Long has, Long wanted) {
    return wanted == null || (has != null && has >= wanted);
  }
}
