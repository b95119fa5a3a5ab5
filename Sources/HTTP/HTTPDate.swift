internal import CCurl

/// A date as servers write it, for example `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// libcurl: curl_getdate(3), which takes all forms of RFC 9110, section 5.6.7, and more.
package enum HTTPDate {
    /// The seconds since 1970 that `text` names, or `nil` if it is no date.
    package static func secondsSince1970(_ text: String) -> Int64? {
        let seconds = unsafe curl_getdate(text, nil)
        return seconds == -1 ? nil : Int64(seconds)
    }
}
