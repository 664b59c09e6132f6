# OmniAuth with its strategy for OpenID Connect, in a Rack application.
require "json"
require "net/http"
require "omniauth"
require "omniauth_openid_connect"
require "rack"
require "webrick"

ISSUER, CLIENT_ID, CLIENT_SECRET, PORT = ARGV
URL = "http://localhost:#{PORT}"
METADATA = JSON.parse(Net::HTTP.get(URI("#{ISSUER}/.well-known/openid-configuration")))

SWD.url_builder = URI::HTTP # discovery without TLS
OmniAuth.config.allowed_request_methods = [:get]
OmniAuth.config.silence_get_warning = true
OmniAuth.config.on_failure = lambda do |env|
  error = env["omniauth.error"]
  [200, {}, [JSON.dump(login: "failed: #{error&.message || env["omniauth.error.type"]}")]]
end

STRATEGY = {
  name: :gatehouse,
  scope: [:openid, :profile, :email, :offline_access],
  response_type: :code,
  issuer: ISSUER,
  discovery: true,
  client_options: { identifier: CLIENT_ID, secret: CLIENT_SECRET, redirect_uri: "#{URL}/auth/gatehouse/callback" },
}

def done(env)
  auth = env["omniauth.auth"]
  after = { id_token_hint: auth.credentials.id_token, post_logout_redirect_uri: "#{URL}/bye" }
  logout = "#{METADATA["end_session_endpoint"]}?#{URI.encode_www_form(after)}"
  JSON.dump(login: auth.uid, userinfo: auth.extra.raw_info["sub"], logout: logout)
end

app = Rack::Builder.new do
  use Rack::Session::Cookie, secret: "a secret for tests, which is long enough for a cookie of a session"
  use(OmniAuth::Builder) { provider :openid_connect, STRATEGY }
  run ->(env) { [200, {}, [env["PATH_INFO"] == "/bye" ? "bye" : done(env)]] }
end

ready = -> { puts "ready"; $stdout.flush }
Rack::Handler::WEBrick.run(app, Host: "localhost", Port: PORT, StartCallback: ready, AccessLog: [])
