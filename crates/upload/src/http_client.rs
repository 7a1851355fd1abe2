//! HTTP for object storage: one connection per request.
//!
//! Requests are few and large, so nothing is gained by keeping connections. The parts are those that pages are fetched with; a
//! whole second HTTP client would cost more to build than all the rest of this crate.
//!
//! Deliberately absent: retries, which the storage does itself, and a guard against private addresses. The user names the
//! storage; the web does not.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::BodyExt;
use hyper_util::rt::TokioIo;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// How long a connection may take, and a request with its answer's head.
const CONNECT: Duration = Duration::from_secs(15);
const ANSWER: Duration = Duration::from_secs(300);

/// Makes clients.
#[derive(Debug)]
pub(crate) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allows_plain = options
            .get_config_value(&ClientConfigKey::AllowHttp)
            .is_some_and(|value| value == "true");
        let roots = RootCertStore {
            roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| object_store::Error::Generic {
                store: "TLS",
                source: error.into(),
            })?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(HttpClient::new(Client {
            tls: Arc::new(tls),
            allows_plain,
        }))
    }
}

#[derive(Debug)]
struct Client {
    tls: Arc<ClientConfig>,
    allows_plain: bool,
}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("{0} has no host")]
    NoHost(String),
    #[error("{0} is not encrypted; use https, or set AWS_ALLOW_HTTP=true for a storage in your own network")]
    Plain(String),
    #[error("no answer within {0:?}")]
    Late(Duration),
}

fn fault(kind: HttpErrorKind) -> impl Fn(std::io::Error) -> HttpError {
    move |error| HttpError::new(kind, error)
}

fn broken(error: hyper::Error) -> HttpError {
    let kind = match error.is_timeout() {
        true => HttpErrorKind::Timeout,
        false => HttpErrorKind::Request,
    };
    HttpError::new(kind, error)
}

#[async_trait]
impl HttpService for Client {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let uri = request.uri().clone();
        let wrong = |fault| HttpError::new(HttpErrorKind::Unknown, fault);
        let host = uri
            .host()
            .ok_or_else(|| wrong(Fault::NoHost(uri.to_string())))?
            .trim_matches(['[', ']'])
            .to_owned();
        let is_plain = uri.scheme_str() == Some("http");
        if is_plain && !self.allows_plain {
            let place = format!(
                "http://{}",
                uri.authority().map_or("", |authority| authority.as_str())
            );
            return Err(wrong(Fault::Plain(place)));
        }
        let port = uri.port_u16().unwrap_or(if is_plain { 80 } else { 443 });
        let late = |_| HttpError::new(HttpErrorKind::Connect, Fault::Late(CONNECT));
        let stream = tokio::time::timeout(CONNECT, TcpStream::connect((host.as_str(), port)))
            .await
            .map_err(late)?
            .map_err(fault(HttpErrorKind::Connect))?;
        if is_plain {
            return exchange(stream, request).await;
        }
        let name =
            ServerName::try_from(host).map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let connector = TlsConnector::from(Arc::clone(&self.tls));
        let stream = tokio::time::timeout(CONNECT, connector.connect(name, stream))
            .await
            .map_err(late)?
            .map_err(fault(HttpErrorKind::Connect))?;
        exchange(stream, request).await
    }
}

/// Sends a request and reads the head of its answer.
async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    mut request: HttpRequest,
) -> Result<HttpResponse, HttpError> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(broken)?;
    // It ends with the answer's body; faults show there.
    tokio::spawn(connection);
    let uri = request.uri().clone();
    if let Some(authority) = uri.authority()
        && let Ok(host) = authority.as_str().parse()
    {
        request.headers_mut().entry(hyper::header::HOST).or_insert(host);
    }
    // A server is asked by path, not by the whole URL.
    if let Some(path) = uri.path_and_query() {
        *request.uri_mut() = path.clone().into();
    }
    let answer = tokio::time::timeout(ANSWER, sender.send_request(request))
        .await
        .map_err(|_| HttpError::new(HttpErrorKind::Timeout, Fault::Late(ANSWER)))?
        .map_err(broken)?;
    let (head, body) = answer.into_parts();
    Ok(HttpResponse::from_parts(
        head,
        HttpResponseBody::new(body.map_err(broken)),
    ))
}
