package io.numaledger.objects;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.JsonScalarResolver;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads YAML with anchors and aliases as trees, with limits on what aliases expand to, on depth, and on the length of numbers. */
final class YamlDocuments {

    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setCodePointLimit(Integer.MAX_VALUE).build();
    private static final ScalarResolver RESOLVER = new JsonScalarResolver();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** The limits of JSON. */
    private static final int MAX_DEPTH = StreamReadConstraints.DEFAULT_MAX_DEPTH;

    private static final int MAX_DIGITS = StreamReadConstraints.DEFAULT_MAX_NUM_LEN;

    /** The most characters that all aliases of a text expand to. */
    private static final int MAX_ALIASED = 1_000_000;

    private static final int VALUE_SIZE = 10;

    private final Iterator<Event> events;
    private final Map<Anchor, Anchored> anchored = new HashMap<>();
    private long size;
    private long aliased;

    /**
     * What an anchor stands for.
     *
     * @param size about as many characters as it takes when it is written out
     */
    private record Anchored(JsonNode value, long size) {}

    private YamlDocuments(String text) {
        this.events = new Parse(SETTINGS).parseString(text).iterator();
    }

    /** @throws org.snakeyaml.engine.v2.exceptions.YamlEngineException if the text is no YAML, or exceeds a limit */
    static List<JsonNode> read(String text) {
        return new YamlDocuments(text).documents();
    }

    private List<JsonNode> documents() {
        List<JsonNode> documents = new ArrayList<>();
        while (events.hasNext()) {
            if (events.next().getEventId() == Event.ID.DocumentStart) {
                anchored.clear();
                documents.add(value(events.next(), 0));
            }
        }
        return documents;
    }

    private JsonNode value(Event event, int depth) {
        if (depth > MAX_DEPTH) {
            throw wrong("nested more than %d deep".formatted(MAX_DEPTH), event);
        }
        if (event instanceof AliasEvent alias) {
            return expanded(alias);
        }
        long before = size;
        size += VALUE_SIZE;
        JsonNode value = switch (event.getEventId()) {
            case MappingStart -> mapping(depth);
            case SequenceStart -> sequence(depth);
            default -> scalar((ScalarEvent) event);
        };
        ((NodeEvent) event).getAnchor().ifPresent(anchor -> anchored.put(anchor, new Anchored(value, size - before)));
        return value;
    }

    private JsonNode expanded(AliasEvent alias) {
        Anchored target = Optional.ofNullable(anchored.get(alias.getAlias()))
                .orElseThrow(() -> wrong("found undefined alias " + alias.getAlias(), alias));
        aliased += target.size();
        size += target.size();
        if (aliased > MAX_ALIASED) {
            throw wrong(
                    "the aliases expand to more than %d characters; write less of them".formatted(MAX_ALIASED), alias);
        }
        return target.value().deepCopy();
    }

    private ObjectNode mapping(int depth) {
        ObjectNode mapping = NODES.objectNode();
        for (Event key = events.next(); key.getEventId() != Event.ID.MappingEnd; key = events.next()) {
            String name = name(key);
            if (mapping.has(name)) {
                throw wrong("found duplicate key " + name, key);
            }
            mapping.set(name, value(events.next(), depth + 1));
        }
        return mapping;
    }

    private String name(Event key) {
        if (key instanceof ScalarEvent scalar) {
            value(scalar, 0);
            return scalar.getValue();
        }
        JsonNode named = key instanceof AliasEvent alias ? expanded(alias) : NODES.missingNode();
        if (!named.isValueNode()) {
            throw wrong("a key is no text", key);
        }
        return named.asText();
    }

    private ArrayNode sequence(int depth) {
        ArrayNode sequence = NODES.arrayNode();
        for (Event item = events.next(); item.getEventId() != Event.ID.SequenceEnd; item = events.next()) {
            sequence.add(value(item, depth + 1));
        }
        return sequence;
    }

    private JsonNode scalar(ScalarEvent event) {
        String text = event.getValue();
        size += text.length();
        Tag tag = event.getTag()
                .filter(named -> !named.equals("!"))
                .map(Tag::new)
                .orElseGet(() -> RESOLVER.resolve(text, event.getImplicit().canOmitTagInPlainScalar()));
        if (tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)) {
            return number(event, tag);
        }
        if (tag.equals(Tag.BOOL)) {
            return NODES.booleanNode(Boolean.parseBoolean(text));
        }
        return tag.equals(Tag.NULL) ? NODES.nullNode() : NODES.textNode(text);
    }

    private static JsonNode number(ScalarEvent event, Tag tag) {
        String text = event.getValue();
        if (text.length() > MAX_DIGITS) {
            throw wrong("a number of %d characters; at most %d are read".formatted(text.length(), MAX_DIGITS), event);
        }
        try {
            return tag.equals(Tag.INT) ? whole(new BigInteger(text)) : NODES.numberNode(fraction(text));
        } catch (NumberFormatException e) {
            throw wrong("not a number: " + text, event);
        }
    }

    private static JsonNode whole(BigInteger number) {
        if (number.bitLength() < Integer.SIZE) {
            return NODES.numberNode(number.intValue());
        }
        return number.bitLength() < Long.SIZE ? NODES.numberNode(number.longValue()) : NODES.numberNode(number);
    }

    private static double fraction(String text) {
        return switch (text) {
            case ".inf" -> Double.POSITIVE_INFINITY;
            case "-.inf" -> Double.NEGATIVE_INFINITY;
            case ".nan" -> Double.NaN;
            default -> Double.parseDouble(text);
        };
    }

    private static ParserException wrong(String problem, Event where) {
        return new ParserException(problem, where.getStartMark());
    }
}
