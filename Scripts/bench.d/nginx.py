"""nginx as an origin of files on loopback, with a log of the bytes sent, and as a hostile one."""

import pathlib
import socket
import subprocess
import tempfile
import time

CONFIGURATION = """
daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    types {{ video/mp4 mp4; image/jpeg jpg; }}
    log_format bytes '$body_bytes_sent $http_range';
    access_log {log};
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    sendfile on; keepalive_timeout 60s;
    {server}
}}
"""

PLAIN = "server {{ listen 127.0.0.1:{port}; root {root}; }}"

# Offers HTTP/2 by ALPN, over IPv6: bodies at ten bytes a second, and any file as nested gzip.
HOSTILE = """
    server {{
        listen [::1]:{port} ssl http2; root {root};
        ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;
        location /drip/ {{ alias {root}/; limit_rate 10; }}
        location /gzip/ {{ alias {root}/; types {{ }} default_type image/jpeg; gzip off;
            add_header Content-Encoding "gzip, gzip, gzip, gzip"; }}
    }}
"""


class Nginx:
    address, template = "127.0.0.1", PLAIN

    def __init__(self, root, core=None, logs=False):
        """Serves the folder `root`, on any core or on one. `logs` records the bytes sent."""
        self.folder = tempfile.TemporaryDirectory()
        self.prepare(pathlib.Path(self.folder.name))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        configuration = pathlib.Path(self.folder.name, "nginx.conf")
        self.log = pathlib.Path(self.folder.name, "access.log")
        log = f"{self.log} bytes" if logs else "off"
        root = pathlib.Path(root).resolve()
        server = self.template.format(folder=self.folder.name, port=self.port, root=root)
        configuration.write_text(CONFIGURATION.format(folder=self.folder.name, log=log, server=server))
        pinned = [] if core is None else ["taskset", "-c", str(core)]
        command = pinned + ["/usr/sbin/nginx", "-p", self.folder.name, "-c", str(configuration)]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while True:
            try:
                socket.create_connection((self.address, self.port)).close()
                return
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    raise SystemExit("nginx did not start")
                time.sleep(0.01)

    def prepare(self, folder):
        """Writes what the server needs, beside its configuration."""

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def forget(self):
        """Resets the count."""
        self.log.write_text("")

    def sent(self):
        """The requests so far, with the bytes of each answer's body."""
        time.sleep(0.2)
        lines = [line.split(" ", 1) for line in self.log.read_text().splitlines()]
        return [(int(count), asked) for count, asked in lines]

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


class HostileNginx(Nginx):
    """Serves files over TLS, HTTP/2 and IPv6, slowly or with a false coding."""

    address, template = "::1", HOSTILE

    def prepare(self, folder):
        self.certificate = folder / "certificate.pem"
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                   "-addext", "subjectAltName=IP:::1", "-keyout", folder / "key.pem", "-out", self.certificate]
        subprocess.run(command, check=True, capture_output=True)

    def url(self, name):
        return f"https://[::1]:{self.port}/{name}"
