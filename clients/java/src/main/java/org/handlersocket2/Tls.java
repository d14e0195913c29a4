package org.handlersocket2;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Makes the TLS of a client out of its options. */
final class Tls {
  private final SSLContext context;
  private final boolean verify;
  private final String name;

  Tls(Options options) {
    verify = options.text("tls").equals("verify");
    name = options.text("tls_name");
    try {
      context = SSLContext.getInstance("TLS");
      context.init(keys(options), trust(options), null);
    } catch (GeneralSecurityException | IOException e) {
      throw new ConfigurationError("tls", e.toString());
    }
  }

  /** Returns the TLS of one connection, to the host or to the name that the options give. */
  SSLEngine engine(String host) {
    SSLEngine engine = context.createSSLEngine(name.isEmpty() ? host : name, 0);
    engine.setUseClientMode(true);
    if (verify) {
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      engine.setSSLParameters(parameters);
    }
    return engine;
  }

  private TrustManager[] trust(Options options) throws GeneralSecurityException, IOException {
    if (!verify) {
      return new TrustManager[] {new TrustAll()};
    }
    KeyStore authorities = null; // The system's.
    if (!options.text("tls_ca").isEmpty()) {
      authorities = emptyStore();
      for (Certificate one : certificates("tls_ca", options.text("tls_ca"))) {
        authorities.setCertificateEntry("authority " + authorities.size(), one);
      }
    }
    String usual = TrustManagerFactory.getDefaultAlgorithm();
    TrustManagerFactory factory = TrustManagerFactory.getInstance(usual);
    factory.init(authorities);
    return factory.getTrustManagers();
  }

  private static KeyManager[] keys(Options options) throws GeneralSecurityException, IOException {
    if (options.text("tls_cert").isEmpty()) {
      return null;
    }
    KeyStore store = emptyStore();
    Certificate[] chain =
        certificates("tls_cert", options.text("tls_cert")).toArray(new Certificate[0]);
    store.setKeyEntry("client", key(options.text("tls_key")), new char[0], chain);
    String usual = KeyManagerFactory.getDefaultAlgorithm();
    KeyManagerFactory factory = KeyManagerFactory.getInstance(usual);
    factory.init(store, new char[0]);
    return factory.getKeyManagers();
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Collection<? extends Certificate> certificates(String option, String file) {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (found.isEmpty()) {
        throw new ConfigurationError(option, "there is no certificate in it");
      }
      return found;
    } catch (IOException | GeneralSecurityException e) {
      throw new ConfigurationError(option, e.toString());
    }
  }

  private static PrivateKey key(String file) throws GeneralSecurityException {
    byte[] content;
    try {
      String[] halves = Files.readString(Path.of(file)).split("-----BEGIN PRIVATE KEY-----");
      if (halves.length != 2) {
        throw new ConfigurationError("tls_key", "it has no PRIVATE KEY (PKCS #8) in PEM");
      }
      content = Base64.getMimeDecoder().decode(halves[1].split("-----END")[0]);
    } catch (IOException | IllegalArgumentException e) {
      throw new ConfigurationError("tls_key", e.toString());
    }
    for (String algorithm : List.of("RSA", "EC")) {
      try {
        KeyFactory factory = KeyFactory.getInstance(algorithm);
        return factory.generatePrivate(new PKCS8EncodedKeySpec(content));
      } catch (InvalidKeySpecException e) {
        // It is one of another algorithm.
      }
    }
    throw new ConfigurationError("tls_key", "it is no key of RSA or of an elliptic curve");
  }

  /** For tls=require, which encrypts without looking at the certificate. */
  private static final class TrustAll extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
