internal import CFuse3
internal import Glibc

/// A value that answers a request.
protocol Reply {
    /// Sends the value; `request` is answered afterwards and must not be used again.
    ///
    /// - Returns: 0, or a negative error number where the kernel no longer wants it.
    @unsafe func send(to request: fuse_req_t?) -> CInt
}

/// Success, and nothing to say.
struct EmptyReply: Reply {
    @unsafe func send(to request: fuse_req_t?) -> CInt {
        unsafe fuse_reply_err(request, 0)
    }
}

/// The one place where an error becomes the kernel's `errno`.
extension Errno: Reply {
    @unsafe func send(to request: fuse_req_t?) -> CInt {
        unsafe fuse_reply_err(request, rawValue)
    }
}

extension Entry: Reply {
    /// The entry in the C layout.
    var parameters: fuse_entry_param {
        var parameters = fuse_entry_param()
        parameters.ino = attributes.inode.rawValue
        parameters.attr = attributes.status
        parameters.attr_timeout = attributeValidity.seconds
        parameters.entry_timeout = entryValidity.seconds
        return parameters
    }

    @unsafe func send(to request: fuse_req_t?) -> CInt {
        var parameters = parameters
        return unsafe fuse_reply_entry(request, &parameters)
    }
}

extension LookupAnswer: Reply {
    @unsafe func send(to request: fuse_req_t?) -> CInt {
        switch self {
        case .found(let entry):
            return unsafe entry.send(to: request)
        case .absent(let validity):
            var parameters = fuse_entry_param()  // Inode 0: there is none.
            parameters.entry_timeout = validity.seconds
            return unsafe fuse_reply_entry(request, &parameters)
        }
    }
}

extension AttributesAnswer: Reply {
    @unsafe func send(to request: fuse_req_t?) -> CInt {
        var status = attributes.status
        return unsafe fuse_reply_attr(request, &status, validity.seconds)
    }
}

extension OpenAnswer: Reply {
    /// `struct fuse_open_out`, whose last field libfuse 3.14 doesn't know.
    private struct PassthroughReply {
        var handle: UInt64
        var flags: UInt32
        var backing: Int32
    }

    @unsafe func send(to request: fuse_req_t?) -> CInt {
        if let backing {
            let (passthrough, noFlush): (UInt32, UInt32) = (1 << 7, 1 << 5)
            let flags = options.contains(.skipsFlush) ? passthrough | noFlush : passthrough
            var reply = PassthroughReply(handle: handle, flags: flags, backing: backing.rawValue)
            return unsafe withUnsafeBytes(of: &reply) { bytes in
                unsafe fuse_reply_buf(
                    request, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
            }
        }
        var file = fuse_file_info()
        file.fh = handle
        file.keep_cache = options.contains(.keepsCache) ? 1 : 0
        file.noflush = options.contains(.skipsFlush) ? 1 : 0
        file.cache_readdir = options.contains(.cachesListing) ? 1 : 0
        return unsafe fuse_reply_open(request, &file)
    }
}

extension FileSystemStatistics: Reply {
    @unsafe func send(to request: fuse_req_t?) -> CInt {
        var status = statvfs()
        status.f_bsize = UInt(blockByteCount)
        status.f_frsize = UInt(blockByteCount)
        status.f_blocks = UInt(blockCount)
        status.f_bfree = UInt(freeBlockCount)
        status.f_bavail = UInt(freeBlockCount)
        status.f_files = UInt(fileCount)
        status.f_namemax = 255
        return unsafe fuse_reply_statfs(request, &status)
    }
}

extension FileRange: Reply {
    /// Lets the kernel fetch the bytes, all of them or none: a file that has become too short is EIO.
    ///
    /// A short answer before the end of a file would make the kernel believe that the file ends there.
    @unsafe func send(to request: fuse_req_t?) -> CInt {
        guard offset >= 0, byteCount >= 0, let end = fileByteCount ?? measuredByteCount,
            end - offset >= Int64(byteCount) || byteCount == 0
        else { return unsafe Errno.inputOutput.send(to: request) }
        var buffers = fuse_bufvec()
        buffers.count = 1
        unsafe buffers.buf.size = byteCount
        unsafe buffers.buf.flags = fuse_buf_flags(FUSE_BUF_IS_FD.rawValue | FUSE_BUF_FD_SEEK.rawValue)
        unsafe buffers.buf.fd = descriptor
        unsafe buffers.buf.pos = Int(offset)
        return unsafe fuse_reply_data(request, &buffers, FUSE_BUF_SPLICE_MOVE)
    }

    /// The size that the file has now.
    private var measuredByteCount: Int64? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int64(status.st_size) : nil
    }
}

/// Answers with a copy of bytes.
///
/// - Returns: 0, or a negative error number where the kernel no longer wants it.
@discardableResult
@unsafe func send(copying bytes: Span<UInt8>, to request: fuse_req_t?) -> CInt {
    unsafe bytes.withUnsafeBytes { buffer in
        unsafe fuse_reply_buf(request, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
    }
}

/// The answer to GETXATTR and LISTXATTR, whose callers ask first how much room they need.
struct ExtendedAttributeReply: Reply {
    let value: [UInt8]

    /// What the caller has room for, in bytes; 0 asks for the size.
    let capacity: Int

    @unsafe func send(to request: fuse_req_t?) -> CInt {
        if capacity == 0 { return unsafe fuse_reply_xattr(request, value.count) }
        if capacity < value.count { return unsafe Errno.resultTooLarge.send(to: request) }
        return unsafe value.withUnsafeBytes { buffer in
            unsafe fuse_reply_buf(request, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
    }
}
