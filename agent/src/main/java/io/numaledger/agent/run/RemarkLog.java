package io.numaledger.agent.run;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Collection;
import java.util.TreeSet;

/** Says each remark when it begins to be true, and once more when it no longer is. */
final class RemarkLog {

    private static final Logger log = LoggerFactory.getLogger(RemarkLog.class);

    private final String source;
    private TreeSet<String> present = new TreeSet<>();

    RemarkLog(String source) {
        this.source = source;
    }

    void say(Collection<String> remarks) {
        TreeSet<String> now = new TreeSet<>(remarks);
        for (String remark : now) {
            if (!present.contains(remark)) {
                log.warn("event=input.ignored source={} remark='{}'", source, remark);
            }
        }
        for (String remark : present) {
            if (!now.contains(remark)) {
                log.info("event=input.accepted source={} remark='{}'", source, remark);
            }
        }
        present = now;
    }
}
