#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "internal.h"

/* OpenSSL's own BIO of a socket raises SIGPIPE. */
static int bio_write(BIO *bio, const char *data, int len) {
  int fd = *(int *)BIO_get_data(bio);
  ssize_t n = send(fd, data, (size_t)len, MSG_NOSIGNAL);
  BIO_clear_retry_flags(bio);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return (int)n;
}

static int bio_read(BIO *bio, char *data, int len) {
  int fd = *(int *)BIO_get_data(bio);
  ssize_t n = recv(fd, data, (size_t)len, 0);
  BIO_clear_retry_flags(bio);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return (int)n;
}

static long bio_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  return command == BIO_CTRL_FLUSH;
}

static int refuse(hs_error *error, hs_error_class kind, const char *what) {
  char why[200] = "";
  ERR_error_string_n(ERR_get_error(), why, sizeof why);
  return hs_fail(error, kind, "%s: %s", what, why);
}

static int refuse_file(hs_error *error, const char *option, const char *file) {
  char what[300];
  (void)snprintf(what, sizeof what, "%s %.250s", option, file != NULL ? file : "of the system");
  return refuse(error, HS_CONFIGURATION, what);
}

int hs_tls_setup(hs_client *client, hs_error *error) {
  char **text = client->options.text;
  ERR_clear_error();
  client->bio = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "handlersocket2");
  client->tls = SSL_CTX_new(TLS_client_method());
  if (client->bio == NULL || client->tls == NULL) return refuse(error, HS_CONFIGURATION, "tls");
  BIO_meth_set_write(client->bio, bio_write);
  BIO_meth_set_read(client->bio, bio_read);
  BIO_meth_set_ctrl(client->bio, bio_control);
  (void)SSL_CTX_set_min_proto_version(client->tls, TLS1_2_VERSION);
  SSL_CTX_set_mode(client->tls,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (text[OPT_TLS_CA] != NULL
          ? SSL_CTX_load_verify_locations(client->tls, text[OPT_TLS_CA], NULL) != 1
          : SSL_CTX_set_default_verify_paths(client->tls) != 1)
    return refuse_file(error, "tls_ca", text[OPT_TLS_CA]);
  if (text[OPT_TLS_CERT] != NULL &&
      SSL_CTX_use_certificate_chain_file(client->tls, text[OPT_TLS_CERT]) != 1)
    return refuse_file(error, "tls_cert", text[OPT_TLS_CERT]);
  const char *key = text[OPT_TLS_KEY] != NULL ? text[OPT_TLS_KEY] : text[OPT_TLS_CERT];
  if (key != NULL && SSL_CTX_use_PrivateKey_file(client->tls, key, SSL_FILETYPE_PEM) != 1)
    return refuse_file(error, "tls_key", key);
  if (client->options.verify) SSL_CTX_set_verify(client->tls, SSL_VERIFY_PEER, NULL);
  return 0;
}

/* The name in the certificate, which may be an address. */
static int expect(hs_conn *conn, const char *name) {
  X509_VERIFY_PARAM *parameters = SSL_get0_param(conn->ssl);
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1) return 1;
  return SSL_set_tlsext_host_name(conn->ssl, name) == 1 && SSL_set1_host(conn->ssl, name) == 1;
}

int hs_tls_start(hs_client *client, hs_conn *conn, double deadline, hs_error *error) {
  const char *name = client->options.text[OPT_TLS_NAME];
  if (name == NULL) name = conn->place->path != NULL ? "localhost" : conn->place->host;
  BIO *bio = BIO_new(client->bio);
  conn->ssl = SSL_new(client->tls);
  if (bio == NULL || conn->ssl == NULL) {
    BIO_free(bio);
    return refuse(error, HS_CONNECTION, "tls");
  }
  BIO_set_data(bio, &conn->fd);
  BIO_set_init(bio, 1);
  SSL_set_bio(conn->ssl, bio, bio);
  if (!expect(conn, name)) return refuse(error, HS_CONNECTION, "tls_name");
  for (;;) {
    ERR_clear_error();
    int result = SSL_connect(conn->ssl), why = SSL_get_error(conn->ssl, result);
    if (result == 1) return 0;
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE)
      return refuse(error, HS_CONNECTION, "tls");
    if (hs_wait(conn->fd, why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline, error) != 0)
      return -1;
  }
}
