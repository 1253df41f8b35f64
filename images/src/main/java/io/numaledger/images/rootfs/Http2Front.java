package io.numaledger.images.rootfs;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;

import javax.net.ssl.SSLContext;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;

/** HTTP/2 over TLS in front of an HTTP/1.1 server: an API server speaks it, and the embedded one does not. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a stream of which a write fails.
final class Http2Front implements AutoCloseable {

    private static final int MAX_REQUEST_BYTES = 1 << 20;

    private final EventLoopGroup threads = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final HttpClient http = HttpClient.newHttpClient();
    private final URI server;
    private final Channel channel;

    Http2Front(URI server, SSLContext keys) throws InterruptedException {
        this.server = server;
        JdkSslContext tls = new JdkSslContext(
                keys,
                false,
                null,
                IdentityCipherSuiteFilter.INSTANCE,
                new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2),
                ClientAuth.NONE,
                null,
                false);
        channel = new ServerBootstrap()
                .group(threads)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        connection
                                .pipeline()
                                .addLast(
                                        tls.newHandler(connection.alloc()),
                                        Http2FrameCodecBuilder.forServer().build(),
                                        new Http2MultiplexHandler(streams()));
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
    }

    private ChannelInitializer<Channel> streams() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel stream) {
                stream.pipeline()
                        .addLast(
                                new Http2StreamFrameToHttpObjectCodec(true),
                                new HttpObjectAggregator(MAX_REQUEST_BYTES),
                                new Forwarder());
            }
        };
    }

    InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    private final class Forwarder extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext stream, FullHttpRequest request) {
            byte[] body = new byte[request.content().readableBytes()];
            request.content().readBytes(body);
            HttpRequest.Builder forwarded = HttpRequest.newBuilder(server.resolve(request.uri()))
                    .method(request.method().name(), BodyPublishers.ofByteArray(body));
            String type = request.headers().get(HttpHeaderNames.CONTENT_TYPE);
            if (type != null) {
                forwarded.header("Content-Type", type);
            }
            http.sendAsync(forwarded.build(), response -> answer(stream, response))
                    .whenComplete((done, failure) -> {
                        if (failure != null) {
                            stream.close();
                        }
                    });
        }

        /** Part by part, as a watch needs it. */
        private static HttpResponse.BodySubscriber<Void> answer(
                ChannelHandlerContext stream, HttpResponse.ResponseInfo response) {
            DefaultHttpResponse head =
                    new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(response.statusCode()));
            response.headers()
                    .firstValue("Content-Type")
                    .ifPresent(type -> head.headers().set(HttpHeaderNames.CONTENT_TYPE, type));
            stream.writeAndFlush(head);
            return BodySubscribers.ofByteArrayConsumer(part -> stream.writeAndFlush(
                    part.map(bytes -> (Object) new DefaultHttpContent(Unpooled.wrappedBuffer(bytes)))
                            .orElse(LastHttpContent.EMPTY_LAST_CONTENT)));
        }
    }

    @Override
    public void close() {
        channel.close();
        threads.shutdownGracefully();
    }
}
