package io.numaledger.scheduling.audit;

import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.ZoneAmounts;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.placement.Amounts;

import java.util.stream.Collectors;

/** The state of a node in one line: what is free, who holds something, and what is assumed. */
public final class SeenState {

    private static final int MAX_CHARACTERS = 2000;

    private SeenState() {}

    /** At most 2000 characters. */
    public static String text(NodeSnapshot node) {
        String text = "free: %s; pods: %s; assumed: %s".formatted(free(node), pods(node), assumed(node));
        return text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS) + "...";
    }

    private static String free(NodeSnapshot node) {
        if (node.model().kubelet().isEmpty() || node.now().isEmpty()) {
            return "unknown";
        }
        KubeletModel kubelet = node.model().kubelet().get();
        return kubelet.machine().topology().numaNodes().stream()
                .map(numaNode -> ZoneAmounts.free(kubelet, node.now().get(), numaNode).entrySet().stream()
                        .map(amount -> amount.getKey() + "=" + Amounts.text(amount.getKey(), amount.getValue()))
                        .collect(Collectors.joining(",", numaNode.zoneName() + " ", "")))
                .collect(Collectors.joining(" "));
    }

    private static String pods(NodeSnapshot node) {
        return node.pods().stream()
                .map(pod -> "%s(%s%s)".formatted(pod.key(), pod.source(), pod.terminating() ? ",terminating" : ""))
                .collect(Collectors.joining(" "));
    }

    private static String assumed(NodeSnapshot node) {
        return node.assumptions().stream().map(each -> each.code()).distinct().collect(Collectors.joining(" "));
    }
}
