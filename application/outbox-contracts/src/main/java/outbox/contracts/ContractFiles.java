package outbox.contracts;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Contracts as files: {@code order.placed.v2.json}. */
final class ContractFiles {
    private static final Pattern NAME =
            Pattern.compile("(?<type>.+)\\.v(?<version>[1-9][0-9]{0,8})\\.(?<extension>[a-z]+)");
    private static final String JSON = "json";

    private ContractFiles() {}

    static EventContracts inDirectory(Path directory) {
        EventContracts.Builder contracts = EventContracts.builder();
        if (!Files.isDirectory(directory)) {
            throw new InvalidContractException("there is no directory " + directory + " with contracts", null);
        }
        read(directory, contracts);
        return contracts.build();
    }

    static EventContracts onClasspath(String directory, ClassLoader loader) {
        EventContracts.Builder contracts = EventContracts.builder();
        try {
            List<URL> places = Collections.list(loader.getResources(directory));
            if (places.isEmpty()) {
                throw new InvalidContractException("there is no directory " + directory + " on the class path", null);
            }
            for (URL place : places) {
                readPlace(place.toURI(), contracts);
            }
        } catch (IOException | URISyntaxException e) {
            throw new InvalidContractException("contracts in " + directory + " on the class path cannot be read", e);
        }
        return contracts.build();
    }

    private static void readPlace(URI place, EventContracts.Builder contracts) throws IOException {
        try {
            read(Path.of(place), contracts);
        } catch (FileSystemNotFoundException e) {
            readInJar(place, contracts);
        }
    }

    private static void readInJar(URI place, EventContracts.Builder contracts) throws IOException {
        try (FileSystem jar = FileSystems.newFileSystem(place, Map.of())) {
            read(jar.provider().getPath(place), contracts);
        } catch (FileSystemAlreadyExistsException e) {
            read(Path.of(place), contracts); // opened concurrently by another thread
        }
    }

    private static void read(Path directory, EventContracts.Builder contracts) {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                add(file, contracts);
            }
        } catch (IOException e) {
            throw new InvalidContractException("contracts in " + directory + " cannot be read", e);
        }
    }

    private static void add(Path file, EventContracts.Builder contracts) throws IOException {
        add(file.getFileName().toString(), file.toString(), Files.readAllBytes(file), contracts);
    }

    static void add(String fileName, String place, byte[] file, EventContracts.Builder contracts) {
        Matcher name = NAME.matcher(fileName);
        if (!name.matches()) {
            throw invalidName(place, "");
        }
        String type = name.group("type");
        int version = Integer.parseInt(name.group("version"));
        String extension = name.group("extension");
        if (extension.equals(JSON)) {
            contracts.add(type, version, text(place, file));
            return;
        }
        for (ContractLanguage language : ServiceLoader.load(ContractLanguage.class)) {
            if (language.extension().equals(extension)) {
                contracts.add(new EventContract(type, version, language, file));
                return;
            }
        }
        throw invalidName(place, "; for .avsc add outbox-avro, and for .protoset outbox-protobuf, to the class path");
    }

    private static InvalidContractException invalidName(String place, String more) {
        return new InvalidContractException(
                place
                        + " is not a valid contract file name: expected <event type>.v<version>.json, order.placed.v1.json for"
                        + " instance" + more,
                null);
    }

    private static String text(String place, byte[] file) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(file))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new InvalidContractException(place + " is not text in UTF-8", e);
        }
    }
}
