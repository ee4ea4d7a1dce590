package io.stoker.dispatcher.service.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.dispatcher.kinds.KindsRefused;
import io.stoker.dispatcher.kinds.Located;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Reads YAML, and so JSON, into a tree that remembers its lines. Scalars mean what they mean in
 * JSON, and everything else is text: {@code no} is no boolean and {@code 010} is no number.
 */
public final class YamlText {
  private static final int DEEPEST = 32;

  /** Values of a file, those that aliases repeat included: a few lines may stand for billions. */
  static final int MOST_VALUES = 100_000;

  private static final JsonNodeFactory NODES = JsonNodeFactory.withExactBigDecimals(true);

  private final Map<String, Integer> lines = new HashMap<>();
  private int values;

  private YamlText() {}

  /**
   * Reads a text.
   *
   * @throws KindsRefused if it is neither YAML nor JSON, or holds too much
   */
  public static Located read(String text) throws KindsRefused {
    try {
      ParserImpl parser =
          new ParserImpl(new StreamReader(new StringReader(text)), new LoaderOptions());
      Node root = new Composer(parser, new JsonScalars(), new LoaderOptions()).getSingleNode();
      if (root == null) {
        throw new KindsRefused(1, "empty, expected the field kinds");
      }
      YamlText reading = new YamlText();
      JsonNode tree = reading.tree(root, "", 0);
      return new Located(tree, reading.lines);
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
      throw new KindsRefused(line, "neither YAML nor JSON: " + e.getProblem());
    } catch (org.yaml.snakeyaml.error.YAMLException e) {
      throw new KindsRefused(1, "neither YAML nor JSON: " + e.getMessage());
    }
  }

  private JsonNode tree(Node node, String path, int depth) throws KindsRefused {
    if (++values > MOST_VALUES) {
      throw new KindsRefused(
          line(node), "more than " + MOST_VALUES + " values, those that aliases repeat included");
    }
    lines.put(path, line(node));
    if (depth > DEEPEST) {
      throw new KindsRefused(line(node), path + ": nested more than " + DEEPEST + " deep");
    }
    return switch (node) {
      case MappingNode mapping -> object(mapping, path, depth);
      case SequenceNode sequence -> array(sequence, path, depth);
      case ScalarNode scalar -> scalar(scalar);
      default -> throw new KindsRefused(line(node), path + ": expected JSON's values alone");
    };
  }

  private JsonNode object(MappingNode mapping, String path, int depth) throws KindsRefused {
    ObjectNode object = NODES.objectNode();
    for (NodeTuple entry : mapping.getValue()) {
      if (!(entry.getKeyNode() instanceof ScalarNode key)) {
        throw new KindsRefused(line(entry.getKeyNode()), path + ": expected names as keys");
      }
      String name = key.getValue();
      String at = path.isEmpty() ? name : path + "." + name;
      if (object.has(name)) {
        throw new KindsRefused(line(key), at + ": given twice, expected each name once");
      }
      object.set(name, tree(entry.getValueNode(), at, depth + 1));
      lines.put(at, line(key));
    }
    return object;
  }

  private JsonNode array(SequenceNode sequence, String path, int depth) throws KindsRefused {
    ArrayNode array = NODES.arrayNode();
    for (Node entry : sequence.getValue()) {
      array.add(tree(entry, path + "[" + array.size() + "]", depth + 1));
    }
    return array;
  }

  private static JsonNode scalar(ScalarNode scalar) {
    Tag tag = scalar.getTag();
    String text = scalar.getValue();
    if (tag.equals(Tag.NULL)) {
      return NODES.nullNode();
    }
    if (tag.equals(Tag.BOOL)) {
      return NODES.booleanNode(text.equals("true"));
    }
    if (tag.equals(Tag.INT)) {
      BigInteger number = new BigInteger(text);
      return number.bitLength() < Long.SIZE
          ? NODES.numberNode(number.longValue())
          : NODES.numberNode(number);
    }
    return tag.equals(Tag.FLOAT) ? NODES.numberNode(new BigDecimal(text)) : NODES.textNode(text);
  }

  private static int line(Node node) {
    return node.getStartMark().getLine() + 1;
  }

  private static final class JsonScalars extends Resolver {
    @Override
    protected void addImplicitResolvers() {
      addImplicitResolver(Tag.BOOL, Pattern.compile("true|false"), "tf");
      addImplicitResolver(Tag.INT, Pattern.compile("-?(0|[1-9][0-9]*)"), "-0123456789");
      addImplicitResolver(
          Tag.FLOAT,
          Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]{1,4})?"),
          "-0123456789");
      addImplicitResolver(Tag.NULL, Pattern.compile("null|~|"), "n~\0");
      addImplicitResolver(Tag.NULL, EMPTY, null);
    }
  }
}
