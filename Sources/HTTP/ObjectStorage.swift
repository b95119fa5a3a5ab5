/// Where the objects are that `s3:` URLs name, and how requests for them are signed.
///
/// `s3://BUCKET/KEY` is asked for by the path of the bucket, which every server that speaks S3 takes. A user name and password become the
/// number of a key and the key, and sign the request; the key itself is never sent. They are those of the bucket.
///
/// CURLOPT_AWS_SIGV4(3); Signature Version 4 of AWS.
package struct ObjectStorage: Sendable {
    /// The URL of the server, without a slash at its end.
    private let endpoint: String
    private let region: String

    /// - Parameters:
    ///   - endpoint: The URL of the server; `nil` for that of Amazon in the region.
    ///   - region: As the server calls it; part of what is signed.
    package init(endpoint: String? = nil, region: String = "us-east-1") {
        let endpoint = endpoint ?? "https://s3.\(region).amazonaws.com"
        self.endpoint = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
        self.region = region
    }

    /// The request as it is made: itself, unless it is for an object.
    func located(_ request: TransferRequest) -> TransferRequest {
        guard URLReference.scheme(request.url) == "s3", let bucket = URLReference.host(request.url) else {
            return request
        }
        var request = request
        // Escapes stay as they are: they are part of what is signed.
        request.url = "\(endpoint)/\(bucket)\(request.url.dropFirst("s3://\(bucket)".utf8.count))"
        if case .password(let user, let password) = request.credentials {
            request.credentials = .signature(key: user, secret: password, region: region)
            // Of no body. Servers want it, and libcurl adds it by itself only from later versions on.
            request.fields.append(
                .init(
                    "x-amz-content-sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
        }
        return request
    }
}
