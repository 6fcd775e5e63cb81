package dev.loom.bench.search;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Small logs to replicate, and what became of them. */
final class ReplicaLog {
    private ReplicaLog() {}

    /** Two logs of few lines, with words in several ways of writing. */
    static LogCorpus corpus() {
        return LogCorpus.of(List.of(
                List.of(
                        "Jun 14 combo sshd(pam_unix)[19939]: authentication failure; user=root",
                        "Jun 14 combo sshd(pam_unix)[19937]: check pass; user unknown",
                        "Jun 15 combo su(pam_unix)[21416]: session opened for user cyrus",
                        "Jun 15 combo su(pam_unix)[21416]: session closed for user cyrus",
                        "Jun 15 combo logrotate: ALERT exited abnormally with [1]",
                        "Jun 16 combo ftpd[23102]: connection from 203.101.45.59"),
                List.of(
                        "INFO dfs.DataNode: Received block blk_388 of size 67108864 from /10.251.42.84",
                        "WARN dfs.DataNode: BLOCK served to User root")));
    }

    static List<String> lines(LogReplica replica, long count, LogReplica.LineHandler handler) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        replica.write(count, out, handler);
        return out.toString(StandardCharsets.US_ASCII).lines().toList();
    }

    static String id(String line) {
        return line.substring(LogReplica.ID_OFFSET, LogReplica.ID_OFFSET + LogReplica.ID_LENGTH);
    }
}
