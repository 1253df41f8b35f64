package io.numaledger.evaluation.facts;

import io.numaledger.evaluation.facts.NodeConstraints.Taint;

/** Which taints a pod tolerates. Absent texts are empty. */
public record Toleration(String key, String operator, String value, String effect) {

    /** As kube-scheduler decides it (component-helpers, scheduling/corev1/helpers.go); numbers are not compared: Lt, Gt. */
    public boolean tolerates(Taint taint) {
        boolean exists = operator.equals("Exists");
        boolean equal = operator.isEmpty() || operator.equals("Equal");
        return (effect.isEmpty() || effect.equals(taint.effect()))
                && (key.isEmpty() ? exists : key.equals(taint.key()))
                && (exists || (equal && value.equals(taint.value())));
    }
}
