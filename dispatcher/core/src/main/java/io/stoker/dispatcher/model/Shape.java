package io.stoker.dispatcher.model;

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
 * The resources that a job asks of a host. Jobs of one shape are interchangeable to the scheduler,
 * which looks at one of them to know about all.
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
   * @param profile what the job is like; null where workers of a pool do its work
   */
  public static Shape of(JobRequest request, String profile) {
    Resources asked = request.resources();
    String user = request.user().orElse(null);
    return request
        .workers()
        .map(pool -> of(asked, false, 0, user).onPool(pool))
        .orElseGet(() -> of(asked, request.staged(), bucket(asked, profile), user));
  }

  /** What a job that is not staged asks of a host, of which it is not known what it is like. */
  public static Shape of(Resources resources) {
    return of(resources, false, 0, null);
  }

  private static Shape of(Resources resources, boolean staged, int bucket, String user) {
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
        bucket,
        null,
        resources.hosts() == 1 ? null : Integer.valueOf(resources.hosts()),
        plain(resources) ? null : resources.type(),
        user);
  }

  /** Its workers have what they take, and it only waits for one of them. */
  private Shape onPool(String name) {
    return new Shape(
        0, 0, null, null, false, null, true, false, require, prefer, avoid, 0, name, null, null,
        user);
  }

  private static int bucket(Resources resources, String profile) {
    boolean shared = resources.gpus() > 0 && resources.sharing() == Resources.Sharing.SHARED;
    return RunnerType.runsOnHost(resources.type())
        ? 1 + Math.floorMod(profile.hashCode(), shared ? BUCKETS : FEWER_BUCKETS)
        : 0;
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

  /**
   * What its attempts take of their hosts; nothing if no host may give it.
   *
   * @param fleetHasGpu whether there are GPUs, or CPU slots are to serve in their place
   */
  public Optional<Takes> takes(boolean fleetHasGpu) {
    if (pool != null) {
      return Optional.of(new Takes.OnPool(pool));
    }
    if (elsewhere() || gpus > 0 && fleetHasGpu) {
      return Optional.of(Takes.of(gpus, 0, null, null, null, runner));
    }
    return gpus == 0 || cpuFallback
        ? Optional.of(new Takes.OnSlots(gpus == 0 ? cpus : gpus, null, runner))
        : Optional.empty();
  }

  /** Whether it takes neither GPUs nor CPU slots of its host, but a slot of its runner alone. */
  public boolean elsewhere() {
    return !RunnerType.runsOnHost(runner);
  }

  /** GPUs that it takes of the machine that its runner runs it on, which is not its host. */
  public int nodeGpus() {
    return elsewhere() ? gpus : 0;
  }

  /** On how many hosts it runs at once. */
  public int members() {
    return hosts == null ? 1 : hosts;
  }

  /** Whether it is a process on its host, of no pool: those of pools are not its own. */
  public boolean onHost() {
    return pool == null && !elsewhere();
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
