import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.configuration.connectors.ConnectorPortRegister;
import org.neo4j.configuration.connectors.ConnectorType;
import org.neo4j.kernel.internal.GraphDatabaseAPI;
import org.neo4j.server.CommunityBootstrapper;

/**
 * Neo4j servers for tests, all in this one process, on 127.0.0.1. It is run from source by `server.py`:
 *
 * <pre>java -cp 'jars/*' Server.java --folder DIR --count 2</pre>
 *
 * Prints a line of JSON for each server that is ready, and ends once its standard input is closed, so it never outlives
 * the process that started it. Each server keeps its data in a folder of its own under DIR and finds them there again;
 * with --temporary DIR is deleted at the end.
 */
public class Server {
    private static final List<CommunityBootstrapper> STARTED = new ArrayList<>();

    private int count = 1;
    private Path folder;
    private int boltPort;
    private int httpPort;
    private String password;
    private boolean temporary;
    private final Map<String, String> extra = new HashMap<>();

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        Server options = new Server(args);
        int status = 1;
        try {
            for (int number = 1; number <= options.count; number++) {
                out.println(options.start(number));
                out.flush();
            }
            while (System.in.read() >= 0) {}
            status = 0;
        } catch (Exception error) {
            error.printStackTrace();
        }
        options.end(status);
    }

    private Server(String[] args) {
        for (int at = 0; at < args.length; at++) {
            switch (args[at]) {
                case "--count" -> count = Integer.parseInt(args[++at]);
                case "--folder" -> folder = Path.of(args[++at]);
                case "--bolt-port" -> boltPort = Integer.parseInt(args[++at]);
                case "--http-port" -> httpPort = Integer.parseInt(args[++at]);
                case "--password" -> password = args[++at];
                case "--temporary" -> temporary = true;
                case "--config" -> {
                    String[] pair = args[++at].split("=", 2);
                    extra.put(pair[0], pair[1]);
                }
                default -> throw new IllegalArgumentException("unknown option " + args[at]);
            }
        }
    }

    private String start(int number) throws IOException {
        Path home = folder.resolve(String.valueOf(number));
        Files.createDirectories(home);
        CommunityBootstrapper server = new CommunityBootstrapper();
        STARTED.add(server);
        if (server.start(home, config()) != 0) {
            throw new IllegalStateException("Neo4j did not start");
        }
        var system = server.getDatabaseManagementService().database("system");
        // On a folder that was started before the password is set already, and Neo4j refuses the same once more.
        String fresh = "SHOW USERS YIELD user, passwordChangeRequired AS fresh WHERE user = 'neo4j' AND fresh RETURN fresh";
        if (password != null && system.executeTransactionally(fresh, Map.of(), found -> found.hasNext())) {
            system.executeTransactionally(
                    "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED", Map.of("password", password));
        }
        var ports = ((GraphDatabaseAPI) system).getDependencyResolver().resolveDependency(ConnectorPortRegister.class);
        return String.format(
                "{\"bolt\": \"bolt://127.0.0.1:%d\", \"http\": \"http://127.0.0.1:%d\"}",
                ports.getLocalAddress(ConnectorType.BOLT).getPort(),
                ports.getLocalAddress(ConnectorType.HTTP).getPort());
    }

    private Map<String, String> config() {
        String bolt = "127.0.0.1:" + boltPort;
        String http = "127.0.0.1:" + httpPort;
        Map<String, String> config = new HashMap<>();
        config.put("server.bolt.enabled", "true");
        config.put("server.bolt.listen_address", bolt);
        config.put("server.bolt.advertised_address", bolt);
        config.put("server.http.enabled", "true");
        config.put("server.http.listen_address", http);
        config.put("server.http.advertised_address", http);
        config.put("server.https.enabled", "false");
        config.put("server.http.x_forward.enabled", "false");
        config.put("dbms.security.auth_enabled", String.valueOf(password != null));
        config.put("dbms.security.auth_minimum_password_length", "1");
        config.put("server.memory.pagecache.size", "64m");
        // A transaction log is else 256 MB from the beginning.
        config.put("db.tx_log.preallocate", "false");
        config.put("db.logs.query.enabled", "OFF");
        // Nothing is sent anywhere.
        config.put("dbms.usage_report.enabled", "false");
        config.put("client.allow_telemetry", "false");
        config.put("server.fleet_discovery.enabled", "false");
        // Stopping else waits five seconds for nothing.
        config.put("internal.dbms.bolt.netty_server_shutdown_quiet_period_duration", "0s");
        config.putAll(extra);
        return config;
    }

    /** Stop what runs, so that its data are whole, and end. */
    private void end(int status) {
        for (CommunityBootstrapper server : STARTED) {
            try {
                server.stop();
            } catch (RuntimeException error) {
                error.printStackTrace();
            }
        }
        if (temporary) {
            delete(folder);
        }
        // Not exit: its hooks would stop every server once more.
        Runtime.getRuntime().halt(status);
    }

    private static void delete(Path folder) {
        try (var found = Files.walk(folder)) {
            for (Path path : found.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException error) {
            error.printStackTrace();
        }
    }
}
