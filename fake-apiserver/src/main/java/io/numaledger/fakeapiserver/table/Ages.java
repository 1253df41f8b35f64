package io.numaledger.fakeapiserver.table;

import java.time.Duration;

/** Durations as kubectl shows them (apimachinery, pkg/util/duration, HumanDuration). */
final class Ages {

    private Ages() {}

    static String human(Duration age) {
        long seconds = Math.max(0, age.toSeconds());
        long minutes = seconds / 60;
        long hours = minutes / 60;
        long days = hours / 24;
        if (seconds < 120) {
            return seconds + "s";
        } else if (minutes < 10) {
            return two(minutes, "m", seconds % 60, "s");
        } else if (hours < 3) {
            return minutes + "m";
        } else if (hours < 8) {
            return two(hours, "h", minutes % 60, "m");
        } else if (hours < 48) {
            return hours + "h";
        } else if (days < 8) {
            return two(days, "d", hours % 24, "h");
        } else if (days < 2 * 365) {
            return days + "d";
        }
        return days < 8 * 365 ? two(days / 365, "y", days % 365, "d") : days / 365 + "y";
    }

    private static String two(long large, String largeUnit, long small, String smallUnit) {
        return small == 0 ? large + largeUnit : large + largeUnit + small + smallUnit;
    }
}
