package io.numaledger.bridge.verdict;

import io.numaledger.bridge.score.FreeZones;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.score.ZoneChange;
import io.numaledger.bridge.verdict.Verdict.Code;
import io.numaledger.counts.CountsEvaluator;
import io.numaledger.counts.CountsForm;
import io.numaledger.counts.NodeCounts;
import io.numaledger.kubelet.answer.Why;

import java.util.Optional;

/**
 * Says from counts what a node's kubelet would, as far as counts are proven to suffice. The score of a pod over several zones goes by
 * about how much of it each of them gets. One per thread.
 */
public final class CountsJudge {

    private final CountsEvaluator evaluator = new CountsEvaluator();

    CountsJudge() {}

    /** Absent where the full model has to be asked. Equal ones are one object. */
    Optional<Outcome> outcome(NodeKind kind, NodeCounts node, FreeZones before, Question question, Ranking ranking) {
        CountsForm form = kind.form().orElseThrow();
        long verdict = form.verdict(evaluator, node, question.ask());
        if (!form.suffices(evaluator, node, question.ask(), verdict)) {
            return Optional.empty();
        }
        if (verdict < 0) {
            return Optional.of(refused(kind, form, node, question, verdict));
        }
        long[] taken = new long[node.placementLength()];
        evaluator.place(node, question.ask(), verdict, taken);
        long rank = ranking.rank(new ZoneChange(before, taken));
        return Optional.of(question.answers().one(new Outcome(Optional.empty(), "", false, rank)));
    }

    private Outcome refused(NodeKind kind, CountsForm form, NodeCounts node, Question question, long verdict) {
        Why why = Refusals.decisive(form.why(evaluator, node, question.ask(), verdict))
                .orElseThrow();
        boolean never = !question.answers().fitsEmpty(kind, () -> fitsEmpty(kind, form, question));
        return question.answers().refused(Code.of(CountsForm.reason(verdict)), why, never);
    }

    private boolean fitsEmpty(NodeKind kind, CountsForm form, Question question) {
        NodeCounts empty = kind.empty().orElseThrow();
        long verdict = form.verdict(evaluator, empty, question.ask());
        return form.suffices(evaluator, empty, question.ask(), verdict)
                ? verdict >= 0
                : Judge.fits(kind.kubelet(), kind.kubelet().empty(), question.pod());
    }
}
